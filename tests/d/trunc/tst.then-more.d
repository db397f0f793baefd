/* SPDX-License-Identifier: MIT */
BEGIN { @["a"] = sum(5); @["b"] = sum(6); @["c"] = sum(1); trunc(@, 2); printa(@); trunc(@, 1); printa(@); trunc(@, -1); printa(@); trunc(@); printa(@); exit(0); }
