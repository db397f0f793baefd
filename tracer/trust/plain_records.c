/* SPDX-License-Identifier: MIT */
#include "tracer/trust/plain_records.h"
#include "vm/base/host/oom.h"
#include "vm/isa.h"

#include <stdlib.h>
#include <string.h>

#define FIELD_BYTES 8u /* of an integer, and the least of a string */

enum plain_fields { FIELDS_INTEGERS, FIELDS_TEXT, FIELDS_OTHER };

/* OTHER: some data says where something is, or is no integer and no string. */
static enum plain_fields plain_fields_of(const void *image,
					 const struct program_action *a)
{
	enum plain_fields all = FIELDS_INTEGERS;

	for (uint32_t i = 0; i < a->nfields; i++) {
		const struct program_field *f =
			program_field(image, a->first_field + i);

		if (program_is_location(f) ||
		    (f->kind != KIND_INT && f->kind != KIND_STR))
			return FIELDS_OTHER;
		if (f->kind == KIND_STR)
			all = FIELDS_TEXT;
	}
	return all;
}

/* The data of all actions, in the order of the code. False: it is no plain record. */
static bool plain_record_add(struct plain_record *r, const void *image, insn_t in)
{
	const uint32_t action = (uint32_t)isa_imm(in);
	const struct program_action *a;
	enum plain_fields fields;
	struct plain_item *p;

	if (isa_op(in) != OP_REC)
		return true;
	a = program_action(image, action);
	fields = plain_fields_of(image, a);
	if (r->nitems == PLAIN_ITEMS_MAX || fields == FIELDS_OTHER)
		return false;
	p = &r->items[r->nitems++];
	p->item = (struct record_item){action, a->nfields * FIELD_BYTES};
	p->nfields = a->nfields;
	if (fields == FIELDS_TEXT)
		p->fields = program_field(image, a->first_field);
	r->size += (uint32_t)sizeof(p->item) + p->item.size;
	return true;
}

/* A record with such items, whose payloads are 0, and of it only these. */
static bool is_possible(struct clause_items *items, uint32_t clause,
			const struct plain_record *r)
{
	unsigned char *data = oom_calloc(1, r->size), *at = data;
	bool is;

	for (uint32_t i = 0; i < r->nitems; i++) {
		memcpy(at, &r->items[i].item, sizeof(r->items[i].item));
		at += sizeof(r->items[i].item) + r->items[i].item.size;
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

/* The bytes that the fields take of so many that are there; 0: too many. */
static size_t plain_size_of(const struct plain_item *p, const unsigned char *data,
			    size_t left)
{
	size_t at = 0;

	for (uint32_t i = 0; i < p->nfields; i++) {
		uint64_t n = FIELD_BYTES;
		uint32_t length;

		if (left - at < FIELD_BYTES)
			return 0;
		if (p->fields[i].kind == KIND_STR) {
			memcpy(&length, data + at, sizeof(length));
			n = align_up(UINT64_C(4) + length, 8);
		}
		if (n > left - at)
			return 0;
		at += n;
	}
	return at;
}

/* Whether the item at the beginning of the bytes is this one; then *size is its own. */
static bool is_plain_item(const struct plain_item *p, const unsigned char *at,
			  size_t left, size_t *size)
{
	struct record_item item;

	if (left < sizeof(item))
		return false;
	memcpy(&item, at, sizeof(item));
	left -= sizeof(item);
	*size = sizeof(item) + item.size;
	if (item.action != p->item.action || item.size > left)
		return false;
	if (!p->fields)
		return item.size == p->item.size;
	return plain_size_of(p, at + sizeof(item), item.size) == item.size;
}

bool plain_records_have(const struct plain_records *p, const struct record *r)
{
	const unsigned char *at = (const unsigned char *)(r + 1);
	size_t left = r->size - sizeof(*r), size;
	const struct plain_record *plain;

	if (r->clause >= p->n || r->kind != RECORD_DATA || r->spec)
		return false;
	plain = &p->of[r->clause];
	if (!plain->size)
		return false;
	for (uint32_t i = 0; i < plain->nitems; i++) {
		if (!is_plain_item(&plain->items[i], at, left, &size))
			return false;
		at += size;
		left -= size;
	}
	return left == 0;
}
