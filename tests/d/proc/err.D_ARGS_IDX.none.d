/* SPDX-License-Identifier: MIT */
/* run: -x zdefs */
proc:::start { trace(args[0]); }
