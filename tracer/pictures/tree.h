/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks merged by their common beginnings: a tree of frames, each with what its
 * own stacks add up to and with what all stacks through it do.
 */
#ifndef TRACER_PICTURES_TREE_H
#define TRACER_PICTURES_TREE_H

#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

#define TREE_DEPTH 256	      /* deeper frames belong to the last one that is kept */
#define TREE_NODES (1u << 20) /* the same for frames beyond so many */
#define TREE_NAME  400	      /* bytes; longer names are cut */

/* A measure of this run, and of an earlier one that it is compared with. */
enum tree_run { TREE_NOW, TREE_BASE, TREE_RUNS };

struct tree_node {
	const char *name;     /* owned by the tree; clean UTF-8 */
	uint32_t first, next; /* child, sibling; 0: none */
	uint32_t parent;
	uint64_t self[TREE_RUNS], total[TREE_RUNS];
};

/* Zero-initialized: empty. Node 0 is the root, which is no frame. */
struct tree {
	struct {
		struct tree_node *data;
		size_t len, cap;
	} nodes;
	struct {
		char **data;
		size_t len, cap;
	} names;
	struct strmap by_name; /* -> number of the name */
	struct map children;   /* node << 32 | name -> node */
	struct strbuf frame;
	bool is_cut; /* a limit was reached */
};

void tree_release(struct tree *t);
/* Adds value to the stack of n bytes, "root;...;leaf". Sums stay at UINT64_MAX. */
void tree_add(struct tree *t, const char *stack, size_t n, enum tree_run run,
	      uint64_t value);
/* Sets all totals, and puts children in the order of their names. */
void tree_finish(struct tree *t);

#endif
