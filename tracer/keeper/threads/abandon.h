/* SPDX-License-Identifier: MIT */
/*
 * Address spaces with which patience has ended (os/patience.h): a thread of them does not
 * come back from a step that it does for the keeper. They are left to themselves:
 *
 *	KEEPER_EV_LOST names the process --> text restored --> each thread detached at its
 *	next stop, where it is (lost_thread.h)
 *
 * Our memory stays mapped, because threads may be inside.
 */
#ifndef TRACER_KEEPER_THREADS_ABANDON_H
#define TRACER_KEEPER_THREADS_ABANDON_H

#include "tracer/keeper/threads/core.h"

/*
 * Abandons every lost space; after each stop and request. Takes 200 ms at most for each:
 * threads that have not stopped by then have is_leaving.
 */
void abandon_lost(struct keeper *k);

#endif
