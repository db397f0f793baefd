/* SPDX-License-Identifier: MIT */
/*
 * KEEPER_REQ_SITES: plans each site, maps scratch memory for those that need
 * a copy, writes copies and then the breakpoint bytes, page by page.
 */
#ifndef TRACER_KEEPER_THREADS_SITES_H
#define TRACER_KEEPER_THREADS_SITES_H

#include "tracer/keeper/fire/core.h"
#include "vm/base/host/err.h"

/* list: a struct keeper_sites. out[0] = sites set, out[1] = refused. */
int sites_add(struct keeper *k, struct process *p, struct sent list, uint64_t out[2],
	      struct err *e);

#endif
