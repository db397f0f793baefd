/* SPDX-License-Identifier: MIT */
BEGIN { @[1] = sum(1); @[2] = sum(2); printa(@); setopt("aggsortrev"); printa(@); setopt("aggsortrev", "0"); printa(@); exit(0); }
