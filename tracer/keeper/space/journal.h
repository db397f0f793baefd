/* SPDX-License-Identifier: MIT */
/*
 * Every change to a target's address space, in the order it was made, so that
 * all are undone in reverse: also when the second step of three failed. The
 * bytes of sites are one entry a batch: the site table knows them.
 */
#ifndef TRACER_KEEPER_SPACE_JOURNAL_H
#define TRACER_KEEPER_SPACE_JOURNAL_H

#include "vm/base/base.h"

enum journal_kind {
	JOURNAL_MAPPED, /* a = address, b = length of scratch memory we mapped */
	JOURNAL_JUMPS,	/* a = number of detours written since the last entry */
	JOURNAL_BYTES,	/* a = number of sites written since the last entry */
};

struct journal_entry {
	enum journal_kind kind;
	uint64_t a, b;
};

/* A zeroed struct is empty. */
struct journal {
	struct journal_entry *data;
	size_t len, cap;
};

void journal_add(struct journal *j, enum journal_kind kind, uint64_t a, uint64_t b);
/* Takes the newest entry out; false when nothing is left to undo. */
bool journal_pop(struct journal *j, struct journal_entry *out);
/* Drops the entries of every other kind: they are undone. */
void journal_keep(struct journal *j, enum journal_kind kind);
void journal_release(struct journal *j);

#endif
