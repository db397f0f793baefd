/* SPDX-License-Identifier: MIT */
BEGIN { printa(@a, @b); exit(0); }
END { @a[1] = count(); @b = count(); }
