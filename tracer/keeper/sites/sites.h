/* SPDX-License-Identifier: MIT */
/*
 * KEEPER_REQ_SITES: plans each site, maps scratch memory for those that need
 * a copy, writes copies and then the breakpoint bytes, page by page.
 */
#ifndef TRACER_KEEPER_SITES_SITES_H
#define TRACER_KEEPER_SITES_SITES_H

#include "tracer/keeper/threads/core.h"
#include "vm/base/host/err.h"

/* list: a struct keeper_sites. */
int sites_add(struct keeper *k, struct process *p, struct sent list,
	      struct keeper_sites_reply *out, struct err *e);

#endif
