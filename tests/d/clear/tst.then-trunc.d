/* SPDX-License-Identifier: MIT */
BEGIN { @["a"] = sum(5); @["b"] = sum(6); clear(@); trunc(@, 1); printa(@); exit(0); }
