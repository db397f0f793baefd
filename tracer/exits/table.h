/* SPDX-License-Identifier: MIT */
/*
 * Exits by the bytes of the parts of functions that they are in: as a table, and as
 * bytes. Bytes that are read may be damaged or made up: then exits_table_get() finds
 * nothing, or offsets that are wrong, which the caller confirms.
 */
#ifndef TRACER_EXITS_TABLE_H
#define TRACER_EXITS_TABLE_H

#include "disasm/disasm.h"
#include "vm/base/host/strbuf.h"

/* A part of a function. */
struct exits_part {
	uint64_t at;	/* where it begins, in the file's addresses */
	uint64_t shape; /* a sum of all ranges of its function */
	uint64_t sum;	/* of its bytes */
	uint32_t first; /* its exits */
	uint32_t n;
};

/* A zeroed one is empty. */
struct exits_table {
	struct {
		struct exits_part *data; /* vec */
		size_t len, cap;
	} parts;
	struct {
		uint32_t *data; /* vec: offsets of exits from the part's beginning */
		size_t len, cap;
	} exits;
	size_t next[2]; /* behind the parts found last: exits_table_get_next() */
};

void exits_table_release(struct exits_table *t);
/* The part that a request is for, but for its bytes and exits. bias: of its module. */
struct exits_part exits_part_of(const struct scan_request *req, uint64_t bias);
/* The sum of the bytes of a request. */
uint64_t exits_sum(const struct scan_request *req);
/* Adds the part, whose exits from number t->exits.len - part.n on have been added. */
void exits_table_add(struct exits_table *t, struct exits_part part);
/* Adds all of another one. */
void exits_table_join(struct exits_table *t, const struct exits_table *more);
/* After adding, and before exits_table_get(). */
void exits_table_sort(struct exits_table *t);
/* The part with that beginning and shape, or NULL. Its exits are in the table. */
const struct exits_part *exits_table_get(const struct exits_table *t,
					 const struct exits_part *wanted);
/* The same, at once if it is that behind one that was found last, or second to last. */
const struct exits_part *exits_table_get_next(struct exits_table *t,
					      const struct exits_part *wanted);

/* Appends the table as bytes. */
void exits_table_write(const struct exits_table *t, struct strbuf *out);
/*
 * Reads a table, which is empty before, from bytes that it takes over. False: it stays
 * empty.
 */
bool exits_table_read(struct exits_table *t, struct strbuf *in);

#endif
