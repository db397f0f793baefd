/* SPDX-License-Identifier: MIT */
/*
 * system(): runs a command for a script.
 */
#ifndef TRACER_CONSUME_SHELL_H
#define TRACER_CONSUME_SHELL_H

#include "tracer/output/out.h"
#include "vm/base/host/err.h"

/*
 * Flushes the data, runs a command with /bin/sh and waits for it. Ignores its exit
 * status. STATUS_IO when it cannot be started. Once the wait for a command was given up
 * (AWAITED_COMMAND), no other one is run.
 */
int shell_run(struct out *o, const char *command, struct err *e);

#endif
