/* SPDX-License-Identifier: MIT */
BEGIN { @["a"] = sum(5); @["b"] = sum(6); @["c"] = sum(1); trunc(@, 2); clear(@); printa(@); exit(0); }
