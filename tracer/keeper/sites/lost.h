/* SPDX-License-Identifier: MIT */
/*
 * Sites that the process has overwritten itself: it has mapped something else there.
 */
#ifndef TRACER_KEEPER_SITES_LOST_H
#define TRACER_KEEPER_SITES_LOST_H

#include "tracer/keeper/space/space.h"

/*
 * Forgets the first sites in the range, one after the other, of which what was written
 * for them stands no more. Nothing is written. False: all stand, or the process has ended
 * and none is forgotten; else *lost holds them. Threads may run.
 */
bool sites_forget_lost(struct space *s, const struct addr_range *r,
		       struct addr_range *lost);

#endif
