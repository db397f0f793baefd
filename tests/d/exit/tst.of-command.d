/* SPDX-License-Identifier: MIT */
/* the status of the command is not ours */
/* run: -c @plain@ -o @tmp@/out */
BEGIN { }
