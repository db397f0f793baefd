/* SPDX-License-Identifier: MIT */
/*
 * Installing detours: jumps to stubs (hook/hook.h) take the place of breakpoints at the
 * sites of fpid probes. The text changes while every thread that shares the memory is
 * stopped (all_stop.h). Order: stubs and lists of probes first, then the text, then the
 * switches that let the stubs fire. A site that cannot be served has a reason, and is
 * left to a breakpoint.
 */
#ifndef TRACER_KEEPER_SITES_DETOUR_INSTALL_H
#define TRACER_KEEPER_SITES_DETOUR_INSTALL_H

#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/sites/detour_request.h"

/*
 * KEEPER_REQ_DETOURS: what would forbid detours in the process; NONE: nothing that is
 * known. One running thread is stopped for a moment.
 */
enum keeper_reason detour_install_refusal(struct keeper *k, struct process *p,
					  bool has_variables);
/*
 * Installs what can be installed; the others get their reason. The threads run, and run
 * on afterwards. STATUS_GONE: the process died.
 */
int detour_install(struct keeper *k, struct process *p, struct detour_requests *list);
/*
 * Gives resident code, if the process has it, the rows that came since. On failure its
 * stacks through those modules follow frame pointers. The threads run.
 */
void detour_install_rows(struct keeper *k, struct process *p);

#endif
