/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/run: elements of dynamic variables, and the cells that they are made of
 * (dynvar.c). Unless said otherwise the caller has the claim of the key's bucket.
 */
#ifndef VM_RUN_CELL_H
#define VM_RUN_CELL_H

#include "vm/block/layout.h"

struct cell {
	_Atomic uint32_t more; /* index + 1 of the element's next cell; free list */
	_Atomic uint32_t next; /* of a first cell: index + 1 in the bucket */
	union {
		unsigned char data[CELL_MORE_DATA];
		struct {
			uint64_t thread; /* 0 when not a self-> variable */
			uint32_t hash, var;
			uint32_t key_size, value_len;
			unsigned char data[CELL_HEAD_DATA];
		} head;
	} u;
};

_Static_assert(sizeof(struct cell) == CELL_BYTES, "cells are one cache line");

/* In value_len: an element that stays until its thread ends (own_cell.h). */
#define CELL_OWN UINT32_C(0x80000000)

/* What identifies an element. */
struct dynkey {
	uint32_t var, size, hash, bucket;
	uint32_t nominal;  /* bytes of the element */
	struct slot *slot; /* of the firing */
	uint64_t thread;
	const void *bytes;
};

/* What a store writes; bytes NULL: nothing, or zeroes in a new element. */
struct dynvalue {
	const void *bytes;
	uint32_t len;
};

/* A stretch of an element's data. */
struct stretch {
	struct cell *cell; /* first of the element */
	uint32_t from, n;
};

enum transfer { TRANSFER_GET, TRANSFER_PUT, TRANSFER_COMPARE, TRANSFER_ZERO };

static inline struct cell *cell_at(const struct state *s, uint32_t link)
{
	if (link == 0 || link > s->ncells)
		return NULL;
	return (struct cell *)layout_at(s, s->cells_at) + (link - 1);
}

static inline uint32_t cell_value_len(const struct cell *c)
{
	return c->u.head.value_len & ~CELL_OWN;
}

static inline _Atomic uint32_t *cell_bucket(const struct state *s, uint32_t i)
{
	return (_Atomic uint32_t *)layout_at(s, s->buckets_at) + i;
}

static inline uint32_t cell_link(const _Atomic uint32_t *link)
{
	return atomic_load_explicit(link, memory_order_acquire);
}

/* Between an element's data and buf (not ZERO); false: it is cut off, or differs. */
bool cell_transfer(const struct state *s, struct stretch x, void *buf,
		   enum transfer how);
/* The element's cell or NULL; *link is the word that leads to it, or the bucket. */
struct cell *cell_find(const struct state *s, const struct dynkey *k,
		       _Atomic uint32_t **link);
/* How many cells the element has; no more than the largest one. */
uint32_t cell_count(const struct cell *c);

/*
 * Of what is counted against dynvarsize, a slot keeps at most so much for its next
 * elements: one that is made and deleted at each call then needs no word that others
 * write.
 */
uint64_t cell_spare_most(const struct state *s);
/* Counts an element against dynvarsize, without a claim; false: there is no room. */
bool cell_take_room(struct state *s, const struct dynkey *k);
void cell_give_room(struct state *s, const struct dynkey *k);
/* The same, past what the slot keeps for its next elements. */
void cell_give_to_all(struct state *s, uint64_t n);

/* A complete element in front of next, not counted; its link, or 0 for no room. */
uint32_t cell_make(struct state *s, const struct dynkey *k, const struct dynvalue *v,
		   uint32_t next);
/* The same, counted. */
uint32_t cell_add(struct state *s, const struct dynkey *k, const struct dynvalue *v,
		  uint32_t next);
/* Takes the element that the link leads to out of its chain and frees its cells. */
void cell_unlink(struct state *s, _Atomic uint32_t *link, struct cell *c);
/* Stores a value, or removes the element; false: no room. */
bool cell_put(struct state *s, const struct dynkey *k, const struct dynvalue *v);

#endif
