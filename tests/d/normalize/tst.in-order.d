/* SPDX-License-Identifier: MIT */
/* Takes effect when its turn comes. */
BEGIN { @ = sum(100); printa("%@d\n", @); normalize(@, 10); }
BEGIN { printa("%@d\n", @); denormalize(@); }
BEGIN { printa("%@d\n", @); exit(0); }
