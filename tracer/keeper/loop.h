/* SPDX-License-Identifier: MIT */
/*
 * The keeper's life: stops and requests until the front has gone.
 */
#ifndef TRACER_KEEPER_LOOP_H
#define TRACER_KEEPER_LOOP_H

#include "vm/base/host/err.h"

/* link: the socket; front: the front's process id. 0 or a negative status. */
int loop_run(int link, int front, struct err *e);

#endif
