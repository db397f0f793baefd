/* SPDX-License-Identifier: MIT */
/* run: -x nolibs -c @once@ */
proc:::exec { trace(args[0]); }
