/* SPDX-License-Identifier: MIT */
/* run: -c @once@ */
proc:::ex* { trace(args[0]); }
