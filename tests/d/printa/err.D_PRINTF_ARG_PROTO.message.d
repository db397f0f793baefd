/* SPDX-License-Identifier: MIT */
BEGIN { @a[1] = count(); printa("%d %d", @a); exit(0); }
