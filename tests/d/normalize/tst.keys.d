/* SPDX-License-Identifier: MIT */
BEGIN { @[1] = sum(10); @[2] = sum(25); @o[1] = sum(10); normalize(@, 10); printa(@); exit(0); }
