/* SPDX-License-Identifier: MIT */
BEGIN { @["k"] = quantize(3); printa("<%s>%@d<end>\n", @); exit(0); }
