/* SPDX-License-Identifier: MIT */
BEGIN { @ = sum(100); normalize(@, 10); clear(@); printa("%@d\n", @); exit(0); }
