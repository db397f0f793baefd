/* SPDX-License-Identifier: MIT */
BEGIN { setopt("a", "b", "c"); exit(0); }
