/* SPDX-License-Identifier: MIT */
/*
 * Functions that a program has made at run time, by address. They come from files that
 * the program writes, so nothing of them is trusted: ranges may overlap, names may hold
 * any byte, and there may be any number of them.
 *
 * Where functions overlap the newest counts: its code has replaced the other's.
 */
#ifndef TRACER_JIT_CODE_MAP_H
#define TRACER_JIT_CODE_MAP_H

#include "vm/base/base.h"
#include "vm/base/host/arena.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

#define CODE_MAP_FUNCTIONS_MAX 1000000
#define CODE_MAP_NAMES_MAX     (64u << 20) /* bytes */
#define CODE_NAME_MAX	       1024 /* bytes of a name, before it is made clean */

struct code_function {
	uint64_t start, size; /* size > 0, and start + size does not wrap */
	const char *name; /* clean UTF-8 (tracer/base/text.h); of the map's memory */
	uint32_t serial;  /* ascends with each that is added */
};

/* A zeroed one is empty and ready. */
struct code_map {
	struct {
		struct code_function *data;
		size_t len, cap;
	} functions;
	uint64_t *reach;    /* nreach: the greatest end of functions.data[0..i] */
	size_t nsorted;	    /* so many are sorted by start; those behind are new */
	struct map name_of; /* start -> the newest name there */
	struct arena names;
	size_t names_size;
	struct strbuf clean;
	uint32_t serial;
	bool is_full; /* something was left out, because of the limits */
};

void code_map_release(struct code_map *m);
/*
 * Adds a function that name[0..n) names. One that is empty, has no name, wraps or exceeds
 * the limits is left out.
 */
void code_map_add(struct code_map *m, uint64_t start, uint64_t size, const char *name,
		  size_t n);
/* The code of the function at start has been moved. Does nothing if there is none. */
void code_map_move(struct code_map *m, uint64_t start, uint64_t to, uint64_t size);
/* Sorts what was added: the next lookup does it otherwise. */
void code_map_settle(struct code_map *m);
/* The newest function that holds the address, or NULL; valid until one is added. */
const struct code_function *code_map_at(struct code_map *m, uint64_t address);
/*
 * Whether a function that was added later lies over the beginning of f, whose code has
 * gone then.
 */
bool code_map_is_replaced(struct code_map *m, const struct code_function *f);

#endif
