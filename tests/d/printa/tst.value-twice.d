/* SPDX-License-Identifier: MIT */
BEGIN { @["k"] = sum(255); printa("%@d %s %@x %@o\n", @); exit(0); }
