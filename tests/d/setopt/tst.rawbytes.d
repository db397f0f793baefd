/* SPDX-License-Identifier: MIT */
BEGIN { setopt("rawbytes"); trace("text stays text"); tracemem((char *)"ab", 2); exit(0); }
