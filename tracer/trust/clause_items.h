/* SPDX-License-Identifier: MIT */
/*
 * What the code of each clause can leave in a record: which actions, in which order, and
 * whether it speculates. Made once from the image; a record is compared with it.
 */
#ifndef TRACER_TRUST_CLAUSE_ITEMS_H
#define TRACER_TRUST_CLAUSE_ITEMS_H

#include "vm/program.h"
#include "vm/record.h"

/* A place in the code from which a path goes on. Each leads to lower numbers. */
struct clause_node {
	uint32_t action;      /* recorded here; or none: a branch, or the end */
	uint32_t next, other; /* numbers of nodes; other: of a branch */
};

struct clause_paths {
	uint32_t start;	  /* number of its first node */
	uint32_t end;	  /* number of the node where the clause ends, its lowest */
	bool makes_empty; /* a record without items is possible */
	bool speculates, commits, discards;
};

struct clause_items {
	const void *image;	    /* borrowed, verified */
	struct clause_paths *paths; /* by clause */
	struct {
		struct clause_node *data;
		size_t len, cap;
	} nodes;
	/* reached[n] == round: the path so far can go on at node n. */
	uint64_t *reached;
	uint64_t round;
};

void clause_items_init(struct clause_items *ci, const void *image);
void clause_items_release(struct clause_items *ci);

/*
 * Whether one run of the clause can record these items: size bytes, each a struct
 * record_item and its payload, whose sizes were checked (ring_peek()). Takes time in
 * proportion to the code of the clause. Every action of the image belongs to one
 * instruction, as the compiler makes them.
 */
bool clause_items_are_possible(struct clause_items *ci, uint32_t clause,
			       const void *items, size_t size);

/* Whether the clause can end a speculation by a RECORD_COMMIT or RECORD_DISCARD. */
bool clause_items_ends_speculation(const struct clause_items *ci, uint32_t clause,
				   enum record_kind kind);
/* Whether its records can belong to a speculation. */
bool clause_items_speculates(const struct clause_items *ci, uint32_t clause);

#endif
