/* SPDX-License-Identifier: MIT */
BEGIN { @ = sum(1000); normalize(@, -3); printa("%@d\n", @); normalize(@, -1); printa("%@d\n", @); exit(0); }
