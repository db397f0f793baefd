/* SPDX-License-Identifier: MIT */
/*
 * The machine code of clauses that is mapped in a process (vm/native.h). That of a
 * program that has been replaced stays: a thread may be in it.
 */
#ifndef HOOK_CLAUSE_CODE_H
#define HOOK_CLAUSE_CODE_H

#include "vm/base/taddr.h"
#include "vm/native.h"

struct clause_code_region {
	taddr at;
	uint64_t n; /* bytes */
	struct native_light *lights;
	uint32_t nlights;
};

struct clause_code {
	struct {
		struct clause_code_region *data;
		size_t len, cap;
	} regions;
	taddr now; /* of the present program; 0: it has none */
};

/* The present program has no code, until some is added. */
static inline void clause_code_leave(struct clause_code *c)
{
	c->now = taddr_of(0);
}

/* The code was mapped there, and is that of the present program. */
void clause_code_add(struct clause_code *c, taddr at, const struct native_code *code);
void clause_code_release(struct clause_code *c);

bool clause_code_holds(const struct clause_code *c, taddr pc);
/*
 * Where a thread goes on if the instruction at pc faults; 0: pc is not in the body of a
 * light routine.
 */
taddr clause_code_after_fault(const struct clause_code *c, taddr pc);

#endif
