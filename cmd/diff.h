/* SPDX-License-Identifier: MIT */
/* --diff A B: what two runs have counted, side by side. */
#ifndef CMD_DIFF_H
#define CMD_DIFF_H

#include "cmd/opts.h"

/*
 * Each of the two files is the output of -O json, or a recording, on which the program
 * runs as with -E: by trace(), in a process of its own. Prints a table on standard
 * output, and draws the stacks if --flame asks for it. The exit status.
 */
int diff_run(struct opts *o, int (*trace)(struct opts *o));

#endif
