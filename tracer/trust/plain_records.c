/* SPDX-License-Identifier: MIT */
#include "tracer/trust/plain_records.h"
#include "vm/base/host/oom.h"
#include "vm/isa.h"

#include <stdlib.h>
#include <string.h>

#define FIELD_BYTES 8u /* of an integer */

/* False: the data of the action has no fixed size, or says where something is. */
static bool has_integers_only(const void *image, const struct program_action *a)
{
	for (uint32_t i = 0; i < a->nfields; i++) {
		const struct program_field *f =
			program_field(image, a->first_field + i);

		if (f->kind != KIND_INT || program_is_location(f))
			return false;
	}
	return true;
}

/* The data of all actions, in the order of the code. False: it is no plain record. */
static bool plain_record_add(struct plain_record *r, const void *image, insn_t in)
{
	const uint32_t action = (uint32_t)isa_imm(in);
	const struct program_action *a;

	if (isa_op(in) != OP_REC)
		return true;
	a = program_action(image, action);
	if (r->nitems == PLAIN_ITEMS_MAX || !has_integers_only(image, a))
		return false;
	r->items[r->nitems++] = (struct record_item){action, a->nfields * FIELD_BYTES};
	r->size += (uint32_t)sizeof(r->items[0]) + a->nfields * FIELD_BYTES;
	return true;
}

/* A record with such items, whose payloads are 0, and of it only these. */
static bool is_possible(struct clause_items *items, uint32_t clause,
			const struct plain_record *r)
{
	unsigned char *data = oom_calloc(1, r->size), *at = data;
	bool is;

	for (uint32_t i = 0; i < r->nitems; i++) {
		memcpy(at, &r->items[i], sizeof(r->items[i]));
		at += sizeof(r->items[i]) + r->items[i].size;
	}
	is = clause_items_are_possible(items, clause, data, (size_t)(at - data));
	free(data);
	return is;
}

static struct plain_record plain_record_of(struct clause_items *items, uint32_t clause)
{
	const struct program_clause *c = program_clause(items->image, clause);
	const insn_t *code = program_section(items->image, SECTION_CODE);
	struct plain_record r = {.size = sizeof(struct record)};

	for (uint32_t i = 0; i < c->count; i++)
		if (!plain_record_add(&r, items->image, code[c->first + i]))
			return (struct plain_record){0};
	return is_possible(items, clause, &r) ? r : (struct plain_record){0};
}

void plain_records_init(struct plain_records *p, struct clause_items *items)
{
	p->n = program_count(items->image, SECTION_CLAUSE);
	p->of = oom_calloc(p->n + (size_t)1, sizeof(*p->of));
	for (uint32_t i = 0; i < p->n; i++)
		p->of[i] = plain_record_of(items, i);
}

void plain_records_release(struct plain_records *p)
{
	free(p->of);
	*p = (struct plain_records){0};
}

bool plain_records_have(const struct plain_records *p, const struct record *r)
{
	const unsigned char *at = (const unsigned char *)(r + 1);
	const struct plain_record *plain;

	if (r->clause >= p->n || r->kind != RECORD_DATA || r->spec)
		return false;
	plain = &p->of[r->clause];
	if (r->size != plain->size)
		return false;
	for (uint32_t i = 0; i < plain->nitems; i++) {
		if (memcmp(at, &plain->items[i], sizeof(plain->items[i])) != 0)
			return false;
		at += sizeof(plain->items[i]) + plain->items[i].size;
	}
	return true;
}
