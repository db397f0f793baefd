/* SPDX-License-Identifier: MIT */
/*
 * Mapping memory of ours into a process: the regions of hook/resident.h, fields for
 * stubs, areas for out-of-line slots. A stopped thread makes the system calls
 * (remote_call.h); for all but inject_xol_area() every thread of the process must be
 * stopped. The files that it maps come by pass_files.h.
 */
#ifndef TRACER_KEEPER_INJECT_INJECT_H
#define TRACER_KEEPER_INJECT_INJECT_H

#include "tracer/keeper/inject/injection.h"

/*
 * Installs resident code, block, state and program. On failure (STATUS_UNSUP, _FULL, _IO,
 * _NOMEM, _PERM, _GONE) nothing of it stays mapped. STATUS_NOMEM: the process or the
 * keeper may not have more addresses or mappings.
 */
int inject_install(const struct injection *in);
/* Maps a new program region in place of the old one, if the program has changed. */
int inject_program(const struct injection *in);
/*
 * The process leaves the trust domain: D variables are mapped in it no more. Clauses that
 * its threads may just be in find empty ones. STATUS_IO, _NOMEM: they stay mapped.
 */
int inject_drop_variables(const struct injection *in);
/* Maps CFI rows that resident code does not have yet, for its stacks. */
int inject_rows(const struct injection *in);
/*
 * Maps n bytes at exactly this address, readable and executable. STATUS_FULL, or
 * STATUS_IO: something is there.
 */
int inject_map_at(const struct injection *in, taddr at, uint64_t n);
/*
 * Maps a new field, the last one in detours.fields, for n more stubs in reach of this
 * range. STATUS_FULL: there is no such place. Needs in->now.
 */
int inject_field(const struct injection *in, struct addr_range near, uint32_t n);

/* Maps an area for out-of-line slots near the code in this range. STATUS_FULL, _GONE. */
int inject_xol_area(struct remote_call *r, struct space *s, struct addr_range near,
		    uint64_t size);

#endif
