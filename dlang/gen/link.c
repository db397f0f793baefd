/* SPDX-License-Identifier: MIT */
/*
 * Lays out the flat image: the sections of struct image, and the tables of variables and
 * aggregations.
 */
#include "dlang/gen/gen.h"

#include <stdlib.h>
#include <string.h>

#include "dlang/check/check.h"
#include "dlang/gen/image.h"
#include "vm/agg.h"
#include "vm/vm.h"

struct link {
	struct dlang *d;
	struct image *img;
	uint64_t globals; /* bytes of global variables so far */
	struct {
		struct program_field *data;
		size_t len, cap;
	} fields; /* of the actions, then of all keys */
	struct {
		struct program_var *data;
		size_t len, cap;
	} vars;
	struct {
		struct program_agg *data;
		size_t len, cap;
	} aggs;
};

static uint32_t link_keys(struct link *l, const struct ident *id)
{
	uint32_t first = (uint32_t)l->fields.len;

	for (uint32_t i = 0; i < id->nparams; i++) {
		struct program_field f =
			image_field(l->img, types_of(l->d), id->params[i]);

		*vec_push(&l->fields) = f;
	}
	return first;
}

static uint32_t take_global(struct link *l, const struct program_field *value)
{
	uint64_t at = l->globals;

	l->globals += program_storage_bytes(value);
	return (uint32_t)at;
}

static void link_var(struct link *l, const struct ident *id)
{
	struct program_var v = {.name = image_string(l->img, id->name),
				.scope = (uint8_t)id->scope,
				.value = image_field(l->img, types_of(l->d), id->type),
				.storage = id->storage};

	if (v.value.kind == KIND_STR)
		v.value.size = dlang_strsize(l->d);
	if (id->scope == SCOPE_GLOBAL)
		v.storage = take_global(l, &v.value);
	v.first_key = link_keys(l, id);
	v.nkeys = id->nparams;
	*vec_push(&l->vars) = v;
}

static void link_agg(struct link *l, const struct ident *id)
{
	struct program_agg a = {.name = image_string(l->img, id->name),
				.func = id->func,
				.param = id->param,
				.words = agg_words(id->func, id->param),
				.variant_of =
					id->primary ? id->primary->number + 1 : 0};

	a.first_key = link_keys(l, id);
	a.nkeys = id->nparams;
	*vec_push(&l->aggs) = a;
}

/* A clause-local lies in scratch memory; copies of a global do. */
static int check_sizes(const struct link *l, struct err *e)
{
	for (size_t i = 0; i < l->vars.len; i++) {
		const struct program_var *v = &l->vars.data[i];
		bool is_limited = v->scope == SCOPE_GLOBAL || v->scope == SCOPE_THIS;

		if (is_limited && v->value.kind == KIND_BYTES &&
		    v->value.size > PROGRAM_VARIABLE_MAX)
			return err_set(
				e, STATUS_FULL,
				"the variable %s is too large: %u bytes, at most %u",
				scope_of(l->d)->vars.data[i]->name, v->value.size,
				PROGRAM_VARIABLE_MAX);
	}
	return 0;
}

static void link_tables(struct link *l)
{
	const struct scope *s = scope_of(l->d);

	for (size_t i = 0; i < l->img->fields.len; i++)
		*vec_push(&l->fields) = l->img->fields.data[i];
	for (size_t i = 0; i < s->vars.len; i++)
		link_var(l, s->vars.data[i]);
	for (size_t i = 0; i < s->aggs.len; i++)
		link_agg(l, s->aggs.data[i]);
	for (size_t i = 0; i < l->fields.len; i++)
		if (l->fields.data[i].kind == KIND_STR)
			l->fields.data[i].size = dlang_strsize(l->d);
}

struct section {
	const void *data;
	size_t count, size; /* elements, bytes of one */
};

/* Lays out the sections after the header; returns the size of the image. */
static uint64_t lay_out(struct program_header *h, const struct section *parts)
{
	uint64_t at = align_up(sizeof(*h), 8);

	for (size_t i = 0; i < SECTION_COUNT; i++) {
		h->section[i].offset = (uint32_t)at;
		h->section[i].count = (uint32_t)parts[i].count;
		at = align_up(at + parts[i].count * parts[i].size, 8);
	}
	return at;
}

static int assemble(struct link *l, const struct section *parts, void **out,
		    size_t *size, struct err *e)
{
	struct program_header h = {.magic = PROGRAM_MAGIC,
				   .version = PROGRAM_VERSION,
				   .strsize = dlang_strsize(l->d),
				   .globals = (uint32_t)l->globals,
				   .locals = scope_of(l->d)->nlocals};
	uint64_t total = lay_out(&h, parts);
	char *p;

	if (total > INT32_MAX)
		return err_set(e, STATUS_FULL, "the program is too large");
	if (h.locals > PROGRAM_LOCALS_MAX || l->globals > PROGRAM_GLOBALS_MAX)
		return err_set(e, STATUS_FULL, "the program has too many variables");
	if (h.strsize > PROGRAM_STRSIZE_MAX)
		return err_set(e, STATUS_RANGE, "strsize must not exceed %u",
			       PROGRAM_STRSIZE_MAX);
	h.size = (uint32_t)total;
	p = calloc(1, total);
	if (!p)
		return err_set(e, STATUS_NOMEM, "out of memory");
	memcpy(p, &h, sizeof(h));
	for (size_t i = 0; i < SECTION_COUNT; i++)
		if (parts[i].count)
			memcpy(p + h.section[i].offset, parts[i].data,
			       parts[i].count * parts[i].size);
	*out = p;
	*size = total;
	return 0;
}

#define PART(v)                                                                        \
	{                                                                              \
		(v).data, (v).len, sizeof(*(v).data)                                   \
	}

int gen_link(struct dlang *d, void **out, size_t *size, struct err *e)
{
	struct image *img = d->image;
	struct link l = {.d = d, .img = img};
	int rc;

	link_tables(&l);

	const struct section parts[SECTION_COUNT] = {
		[SECTION_CODE] = PART(img->code),
		[SECTION_CONST] = PART(img->consts),
		[SECTION_STR] = {img->str.data, img->str.len, 1},
		[SECTION_CLAUSE] = PART(img->clauses),
		[SECTION_VAR] = PART(l.vars),
		[SECTION_AGG] = PART(l.aggs),
		[SECTION_ACTION] = PART(img->actions),
		[SECTION_FIELD] = PART(l.fields),
		[SECTION_OPERAND] = PART(img->operands),
		[SECTION_STMT] = PART(img->stmts),
	};

	rc = check_sizes(&l, e);
	if (rc == 0)
		rc = assemble(&l, parts, out, size, e);
	if (rc == 0) {
		program_mark_constant(*out);
		program_set_nominal(*out);
	}
	vec_release(&l.vars);
	vec_release(&l.aggs);
	vec_release(&l.fields);
	return rc;
}
