/* SPDX-License-Identifier: MIT */
BEGIN { @["a"] = sum(100); @["b"] = sum(-75); normalize(@, 10); exit(0); }
