/* SPDX-License-Identifier: MIT */
BEGIN { @["a"] = sum(5); clear(@); clear(@); printa(@); exit(0); }
