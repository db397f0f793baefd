/* SPDX-License-Identifier: MIT */
BEGIN { @a = count(); printa(5, @a); exit(0); }
