/* SPDX-License-Identifier: MIT */
BEGIN { @[1] = count(); @[2] = count(); printa("%d,", @); printf("\n"); exit(0); }
