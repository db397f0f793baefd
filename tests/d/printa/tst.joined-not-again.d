/* SPDX-License-Identifier: MIT */
BEGIN { @a[1] = count(); @b[1] = count(); @c[1] = count(); printa("%d %@d %@d\n", @a, @b); exit(0); }
