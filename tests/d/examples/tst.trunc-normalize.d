/* SPDX-License-Identifier: MIT */
BEGIN { @["a"] = sum(100); @["b"] = sum(250); @["c"] = sum(50); exit(0); }
END { trunc(@, 2); normalize(@, 10); }
