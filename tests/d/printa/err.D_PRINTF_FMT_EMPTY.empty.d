/* SPDX-License-Identifier: MIT */
BEGIN { @a = count(); printa("", @a); exit(0); }
