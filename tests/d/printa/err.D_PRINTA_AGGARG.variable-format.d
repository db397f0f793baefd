/* SPDX-License-Identifier: MIT */
BEGIN { s = "%@d"; @a = count(); printa(s, @a); exit(0); }
