/* SPDX-License-Identifier: MIT */
BEGIN { @["a"] = sum(5); @["b"] = sum(6); }
BEGIN { printa(@); trunc(@, 1); }
tick-50ms { @["a"] = sum(1); @["b"] = sum(1); exit(0); }
END { printa(@); }
