/* SPDX-License-Identifier: MIT */
BEGIN { @ = sum(1000); normalize(@, 10); normalize(@, 0); printa("%@d\n", @); exit(0); }
