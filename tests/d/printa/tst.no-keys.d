/* SPDX-License-Identifier: MIT */
BEGIN { @ = count(); @s = sum(-5); printa("%@d|%@5d|%@-5d|%@05d|%@x\n", @); printa("%@d %@+d %@u\n", @s); exit(0); }
