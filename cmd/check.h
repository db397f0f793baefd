/* SPDX-License-Identifier: MIT */
/*
 * -x check: the command line is done three times, with all probes of pid and fpid as pid,
 * as fpid, and as pid once more. What the two runs by pid agree about is compared with
 * the one by fpid: how often each probe fired, its arguments, and the output.
 */
#ifndef CMD_CHECK_H
#define CMD_CHECK_H

#include "cmd/opts.h"

bool check_is_wanted(const struct opts *o);
/*
 * run() does the command line in a process of its own, with what tracer_check() is told,
 * and returns its exit status. Prints the output of the first run, and the comparison on
 * stderr. The exit status: that of the runs, or 1 if there is a difference, if they
 * cannot be compared, or after an error.
 */
int check_runs(struct opts *o, int (*run)(struct opts *o, bool by_jumps, int fd));

#endif
