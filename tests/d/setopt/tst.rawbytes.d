/* SPDX-License-Identifier: MIT */
BEGIN { setopt("rawbytes"); trace("text is dumped"); tracemem((char *)"ab", 2); exit(0); }
