/* SPDX-License-Identifier: MIT */
/*
 * The main loop: serves stops of targets and requests of the front.
 */
#ifndef TRACER_KEEPER_LOOP_H
#define TRACER_KEEPER_LOOP_H

#include "vm/base/host/err.h"

/*
 * Runs until the front has gone, then restores and detaches all targets. link: the
 * socket, which stays the caller's; front: the front's process id. 0, or a negative
 * status with its text when it could not start.
 */
int loop_run(int link, int front, struct err *e);

#endif
