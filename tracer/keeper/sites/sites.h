/* SPDX-License-Identifier: MIT */
/*
 * KEEPER_REQ_SITES. Sites with a plan get detours where that is possible. For the others,
 * out-of-line slots are mapped and written, then the breakpoint bytes, page by page.
 */
#ifndef TRACER_KEEPER_SITES_SITES_H
#define TRACER_KEEPER_SITES_SITES_H

#include "tracer/keeper/threads/core.h"
#include "vm/base/host/err.h"

/*
 * list: a struct keeper_sites, whose results are filled in. The process's threads run,
 * and run on. STATUS_GONE: it has ended or called exec; STATUS_IO: no thread can be
 * stopped, or its memory cannot be reached; STATUS_BADFMT: the list makes no sense.
 */
int sites_add(struct keeper *k, struct process *p, struct link_memory list,
	      struct keeper_sites_reply *out, struct err *e);

#endif
