/* SPDX-License-Identifier: MIT */
BEGIN { @[1] = sum(2); @[2] = sum(1); setopt("aggsortkey"); exit(0); }
