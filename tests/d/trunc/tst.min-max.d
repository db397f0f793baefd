/* SPDX-License-Identifier: MIT */
BEGIN { @n["a"] = min(5); @n["b"] = min(6); @x["a"] = max(5); @x["b"] = max(6); trunc(@n, -1); trunc(@x, 1); printa(@n); printa(@x); exit(0); }
