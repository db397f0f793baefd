/* SPDX-License-Identifier: MIT */
/* run: -c @once@ */
proc:::create, proc:::exit { trace(args[0]); }
