/* SPDX-License-Identifier: MIT */
BEGIN { o = "aggsortrev"; v = "on"; setopt(o, v); @[1] = sum(1); @[2] = sum(2); exit(0); }
