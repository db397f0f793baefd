/* SPDX-License-Identifier: MIT */
/* Whose memory is mapped, by what; what all mappings of ours have in common. */
#ifndef TRACER_KEEPER_INJECT_INJECTION_H
#define TRACER_KEEPER_INJECT_INJECTION_H

#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/space/keeper_program.h"
#include "tracer/keeper/space/near_alloc.h"
#include "tracer/keeper/space/remote_call.h"

/* Who makes the calls, where, for which program. Borrowed. */
struct injection {
	struct remote_call *remote;
	struct process *process;
	struct keeper_program *program;
	/* In an all-stop that installs detours: the mappings, with those of fields as
	 * they are made. Else NULL. */
	struct near_alloc *now;
};

/*
 * Free addresses for n bytes that need not be near anything; 0: there are none. Like the
 * kernel's own choice below the libraries, but apart from them: their stubs need what is
 * next to them. For what does not grow, else for what does.
 */
uint64_t inject_far(const struct injection *in, uint64_t n);
uint64_t inject_growing(const struct injection *in, uint64_t n);
/* Notes a mapping for detours, resident code or its data. */
void inject_note_mapping(const struct injection *in, taddr lo, uint64_t size);

#endif
