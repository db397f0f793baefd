/* SPDX-License-Identifier: MIT */
BEGIN { printa("%s %@d\n", @a); exit(0); }
END { @a[1] = count(); }
