/* SPDX-License-Identifier: MIT */
BEGIN { @a["x"] = sum(3); @b["y"] = sum(1); @b["x"] = sum(9); printa(@a, @b); exit(0); }
