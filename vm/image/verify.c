/* SPDX-License-Identifier: MIT */
/*
 * Proves the tables of an image: after it, every offset, count and index in
 * them can be used without a look. Sections may overlap: nothing writes to an
 * image.
 */
#include "vm/image/verify.h"
#include "vm/image/clause_effects.h"
#include "vm/agg.h"
#include "vm/base/status.h"

#define IMAGE_MAX (UINT32_C(1) << 30)
#define AGGS_MAX  65536u
#define NO_INSN	  UINT32_MAX

static const uint32_t element_size[SECTION_COUNT] = {
	[SECTION_CODE] = sizeof(insn_t),
	[SECTION_CONST] = sizeof(uint64_t),
	[SECTION_STR] = 1,
	[SECTION_CLAUSE] = sizeof(struct program_clause),
	[SECTION_VAR] = sizeof(struct program_var),
	[SECTION_AGG] = sizeof(struct program_agg),
	[SECTION_ACTION] = sizeof(struct program_action),
	[SECTION_FIELD] = sizeof(struct program_field),
	[SECTION_OPERAND] = sizeof(uint32_t),
	[SECTION_STMT] = sizeof(struct program_stmt),
};

int verify_fail(struct verifier *v, uint32_t insn, const char *text)
{
	*v->error = (struct verify_error){insn, text};
	return STATUS_BADFMT;
}

static int fail(struct verifier *v, const char *text)
{
	return verify_fail(v, NO_INSN, text);
}

static bool is_range(uint32_t first, uint32_t n, uint32_t count)
{
	return n <= count && first <= count - n;
}

static bool is_string(const struct verifier *v, uint32_t offset)
{
	return offset < program_count(v->image, SECTION_STR);
}

static int check_header(struct verifier *v, size_t size)
{
	const struct program_header *h = v->image;

	if ((uintptr_t)v->image % 8)
		return fail(v, "image not aligned");
	if (size < sizeof(*h) || size > IMAGE_MAX)
		return fail(v, "image size out of range");
	if (h->magic != PROGRAM_MAGIC || h->version != PROGRAM_VERSION)
		return fail(v, "not a program image of this version");
	if (h->size != size)
		return fail(v, "image cut off");
	if (h->strsize == 0 || h->strsize > PROGRAM_STRSIZE_MAX)
		return fail(v, "strsize out of range");
	if (h->globals > PROGRAM_GLOBALS_MAX || h->locals > PROGRAM_LOCALS_MAX)
		return fail(v, "variable areas too large");
	return 0;
}

static int check_sections(struct verifier *v)
{
	const struct program_header *h = v->image;

	for (uint32_t i = 0; i < SECTION_COUNT; i++) {
		const struct program_section *s = &h->section[i];
		uint64_t end = s->offset + (uint64_t)s->count * element_size[i];

		if (s->offset % 8 || s->offset < sizeof(*h) || end > h->size)
			return fail(v, "section outside the image");
	}
	return 0;
}

static int check_strings(struct verifier *v)
{
	const char *s = program_section(v->image, SECTION_STR);
	uint32_t n = program_count(v->image, SECTION_STR);

	if (n == 0 || s[0] != '\0' || s[n - 1] != '\0')
		return fail(v, "string section not terminated");
	return 0;
}

static bool is_field(const struct verifier *v, const struct program_field *f)
{
	if (!is_string(v, f->type) || f->is_signed > 1 || f->show >= SHOW_COUNT)
		return false;
	if (f->kind == KIND_INT)
		return is_size(f->size);
	return f->kind <= KIND_BYTES && f->size > 0 && f->size <= PROGRAM_STRSIZE_MAX;
}

static int check_fields(struct verifier *v)
{
	for (uint32_t i = 0; i < program_count(v->image, SECTION_FIELD); i++)
		if (!is_field(v, program_field(v->image, i)))
			return fail(v, "bad field");
	return 0;
}

static bool has_storage(const struct verifier *v, const struct program_var *var)
{
	const struct program_header *h = v->image;

	switch (var->scope) {
	case SCOPE_GLOBAL:
		return var->nkeys == 0 && var->storage % 8 == 0 &&
		       var->storage + program_storage_bytes(&var->value) <= h->globals;
	case SCOPE_THIS:
		return var->nkeys == 0 && var->storage < h->locals;
	case SCOPE_SELF:
		return var->nkeys == 0;
	case SCOPE_ARRAY:
	case SCOPE_SELF_ARRAY:
		return var->nkeys > 0;
	default:
		return false;
	}
}

static int check_vars(struct verifier *v)
{
	uint32_t nfields = program_count(v->image, SECTION_FIELD);

	for (uint32_t i = 0; i < program_count(v->image, SECTION_VAR); i++) {
		const struct program_var *var = program_var(v->image, i);

		if (!is_string(v, var->name) || !is_field(v, &var->value) ||
		    !is_range(var->first_key, var->nkeys, nfields))
			return fail(v, "bad variable");
		if (!has_storage(v, var))
			return fail(v, "variable outside its storage");
	}
	return 0;
}

static bool has_words(const struct program_agg *a)
{
	uint32_t words = agg_words((enum agg_func)a->func, a->param);

	return words > 0 && a->words == words;
}

/* A variant has the function of its primary, which is none itself. */
static bool is_variant_right(const struct verifier *v, const struct program_agg *a)
{
	const struct program_agg *of;

	if (!a->variant_of)
		return true;
	if (a->variant_of > program_count(v->image, SECTION_AGG))
		return false;
	of = program_agg(v->image, a->variant_of - 1);
	return !of->variant_of && of->func == a->func && of->param == a->param &&
	       of->nkeys == a->nkeys;
}

static int check_aggs(struct verifier *v)
{
	uint32_t nfields = program_count(v->image, SECTION_FIELD);

	if (program_count(v->image, SECTION_AGG) > AGGS_MAX)
		return fail(v, "too many aggregations");
	for (uint32_t i = 0; i < program_count(v->image, SECTION_AGG); i++) {
		const struct program_agg *a = program_agg(v->image, i);

		if (!is_string(v, a->name) || a->func >= AGG_COUNT_OF ||
		    !is_range(a->first_key, a->nkeys, nfields))
			return fail(v, "bad aggregation");
		if (!is_variant_right(v, a))
			return fail(v, "bad variant of an aggregation");
		if (!has_words(a))
			return fail(v, "aggregation of a wrong size");
	}
	return 0;
}

static int check_actions(struct verifier *v)
{
	const uint32_t *operand = program_section(v->image, SECTION_OPERAND);
	uint32_t noperands = program_count(v->image, SECTION_OPERAND);

	for (uint32_t i = 0; i < noperands; i++)
		if (operand[i] >= program_count(v->image, SECTION_AGG))
			return fail(v, "operand is no aggregation");
	for (uint32_t i = 0; i < program_count(v->image, SECTION_ACTION); i++) {
		const struct program_action *a = program_action(v->image, i);

		if (a->kind >= ACTION_COUNT || !is_string(v, a->text) ||
		    !is_range(a->first_field, a->nfields,
			      program_count(v->image, SECTION_FIELD)) ||
		    !is_range(a->first_operand, a->noperands, noperands))
			return fail(v, "bad action");
	}
	return 0;
}

static bool are_stmts(const struct verifier *v, const struct program_clause *c)
{
	const struct program_stmt *stmt = program_section(v->image, SECTION_STMT);

	if (!is_range(c->stmt, c->nstmts, program_count(v->image, SECTION_STMT)))
		return false;
	for (uint32_t i = 0; i < c->nstmts; i++) {
		uint32_t first = stmt[c->stmt + i].first;

		if (first < c->first || first >= c->first + c->count ||
		    (i && first < stmt[c->stmt + i - 1].first))
			return false;
	}
	return true;
}

static int check_clauses(struct verifier *v)
{
	uint32_t ncode = program_count(v->image, SECTION_CODE);

	for (uint32_t i = 0; i < program_count(v->image, SECTION_CLAUSE); i++) {
		const struct program_clause *c = program_clause(v->image, i);
		int rc;

		if (c->count == 0 || !is_range(c->first, c->count, ncode))
			return fail(v, "clause outside the code");
		if (c->contexts & ~(uint32_t)CONTEXT_ALL ||
		    c->flags & ~(uint32_t)(CLAUSE_RECORDS | CLAUSE_DESTRUCTIVE |
					   CLAUSE_CONSTANT | CLAUSE_RECORDER))
			return fail(v, "bad clause");
		if (!are_stmts(v, c))
			return fail(v, "statements outside their clause");
		rc = verify_clause(v, c);
		if (rc)
			return rc;
		if (c->flags & CLAUSE_CONSTANT && !program_is_constant(v->image, c))
			return fail(v, "bad clause");
	}
	return 0;
}

int program_verify(const void *image, size_t size, struct verify_error *e)
{
	struct verifier v = {image, e};
	int rc = check_header(&v, size);

	if (rc == 0)
		rc = check_sections(&v);
	if (rc == 0)
		rc = check_strings(&v);
	if (rc == 0)
		rc = check_fields(&v);
	if (rc == 0)
		rc = check_vars(&v);
	if (rc == 0)
		rc = check_aggs(&v);
	if (rc == 0)
		rc = check_actions(&v);
	return rc == 0 ? check_clauses(&v) : rc;
}
