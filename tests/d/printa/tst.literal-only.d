/* SPDX-License-Identifier: MIT */
BEGIN { @[1] = count(); @[2] = count(); printa("row\n", @); exit(0); }
