/* SPDX-License-Identifier: MIT */
/*
 * The usual record of a clause: the data of all its actions, integers and strings only.
 * A record that has these actions, and data of the sizes that it should have, needs no
 * other look at its items.
 */
#ifndef TRACER_TRUST_PLAIN_RECORDS_H
#define TRACER_TRUST_PLAIN_RECORDS_H

#include "tracer/trust/clause_items.h"

#define PLAIN_ITEMS_MAX 8u

/* An action: its number, and the bytes of its data, or of the integers in it. */
struct plain_item {
	struct record_item item;
	const struct program_field *fields; /* NULL: integers only */
	uint32_t nfields;
};

struct plain_record {
	uint32_t
		size; /* with the header, the least; 0: the clause has no such record */
	uint32_t nitems;
	struct plain_item items[PLAIN_ITEMS_MAX];
};

struct plain_records {
	struct plain_record *of; /* by clause */
	uint32_t n;
};

void plain_records_init(struct plain_records *p, struct clause_items *items);
void plain_records_release(struct plain_records *p);

/*
 * Whether the record, of which record.size bytes are there, is the usual one of its
 * clause: its items are possible, no action has recorded a stack or an address, and it
 * is of no speculation. False: it may be good all the same.
 */
bool plain_records_have(const struct plain_records *p, const struct record *r);

#endif
