/* SPDX-License-Identifier: MIT */
/*
 * Actions that record values: trace(), print(), tracemem(), printf(), printa() and the
 * like.
 */
#include "dlang/check/internal.h"

#include <string.h>

#include "dlang/check/printf.h"

/* ---- values ---- */

/* The tags for values that an action cannot record. */
struct value_tags {
	const char *is_agg, *is_void, *is_dynamic, *is_large;
};

static int check_size(struct dlang *d, const struct ast_expr *e, const char *tag)
{
	uint64_t size = type_size(types_of(d), e->args->type);

	if (size == 0)
		return diag(d, &e->args->pos, tag,
			    "%s( ) may not be applied to a value of unknown size: %s",
			    e->ident->name, e->args->type->name);
	if (size > PROGRAM_VALUE_MAX && !type_is_string(e->args->type))
		return diag(
			d, &e->args->pos, tag,
			"%s( ) may not be applied to a value of more than %u bytes: "
			"%s has %llu",
			e->ident->name, PROGRAM_VALUE_MAX, e->args->type->name,
			(unsigned long long)size);
	return 0;
}

static int check_recordable(struct dlang *d, struct ast_expr *e,
			    const struct value_tags *tags)
{
	const char *func = e->ident->name;
	const struct ast_expr *arg = e->args;

	if (arg->kind == EXPR_AGG)
		return diag(d, &arg->pos, tags->is_agg,
			    "%s( ) may not be applied to an aggregation", func);
	if (type_is_void(arg->type))
		return diag(d, &arg->pos, tags->is_void,
			    "%s( ) may not be applied to a void expression", func);
	if (arg->type->kind == TYPE_DYN)
		return diag(d, &arg->pos, tags->is_dynamic,
			    "%s( ) may not be applied to a dynamic expression", func);
	return check_size(d, e, tags->is_large);
}

static int check_trace(struct dlang *d, struct ast_expr *e)
{
	static const struct value_tags tags = {"D_TRACE_AGG", "D_TRACE_VOID",
					       "D_TRACE_DYN", "D_TRACE_DYN"};

	return check_recordable(d, e, &tags);
}

/* Completes all types of members now: later the target may be gone. */
static void complete_members(struct dlang *d, const struct type *t, uint32_t depth)
{
	t = type_resolve(t);
	while (t->kind == TYPE_ARRAY)
		t = type_resolve(t->base);
	if (!type_is_struct_or_union(t) && !type_is_enum(t))
		return;
	if (!type_complete(types_of(d), t) || depth == 0 || type_is_enum(t))
		return;
	for (const struct type_member *m = t->members; m; m = m->next)
		complete_members(d, m->type, depth - 1);
}

static int check_print(struct dlang *d, struct ast_expr *e)
{
	static const struct value_tags tags = {"D_PRINT_AGG", "D_PRINT_VOID",
					       "D_PRINT_DYN", "D_PRINT_SIZE"};
	int rc = check_recordable(d, e, &tags);

	if (!rc)
		complete_members(d, e->args->type, TYPE_NESTING_MAX);
	return rc;
}

static int check_tracemem(struct dlang *d, struct ast_expr *e)
{
	const struct ast_expr *addr = e->args, *size = addr->next, *shown = size->next;

	if (e->nargs > 3)
		return diag(d, &e->pos, "D_TRACEMEM_ARGS",
			    "tracemem( ) prototype mismatch: %u args passed, at most 3 "
			    "expected",
			    e->nargs);
	if (!type_is_scalar(addr->type) && !type_is_pointer(addr->type))
		return diag(d, &addr->pos, "D_TRACEMEM_ADDR",
			    "tracemem( ) argument #1 is incompatible with prototype:\n"
			    "\tprototype: pointer or integer\n\t argument: %s",
			    expr_type_name(addr));
	if (!expr_is_const(size) || !type_is_int(size->type) || size->value == 0 ||
	    (type_is_signed(size->type) && (int64_t)size->value < 0))
		return diag(
			d, &size->pos, "D_TRACEMEM_SIZE",
			"tracemem( ) argument #2 must be a non-zero positive integral "
			"constant expression");
	if (size->value > PROGRAM_VALUE_MAX)
		return diag(d, &size->pos, "D_TRACEMEM_SIZE",
			    "tracemem( ) argument #2 must not exceed %u",
			    PROGRAM_VALUE_MAX);
	if (shown && !type_is_scalar(shown->type))
		return diag(d, &shown->pos, "D_TRACEMEM_DYNSIZE",
			    "tracemem( ) argument #3 must be of scalar type");
	return 0;
}

/* ---- formats ---- */

/* The format must be a string literal; only that of freopen() may be empty. */
static int check_format(struct dlang *d, const struct ast_expr *e)
{
	struct ast_expr *format = e->args;

	if (format->kind != EXPR_STRING)
		return diag(d, &format->pos, "D_PRINTF_ARG_FMT",
			    "%s( ) argument #1 is incompatible with prototype:\n"
			    "\tprototype: string constant\n\t argument: %s",
			    e->ident->name, expr_type_name(format));
	if (format->len == 0 && e->ident->number != ACTION_freopen)
		return diag(d, &format->pos, "D_PRINTF_FMT_EMPTY",
			    "%s( ) format string is empty", e->ident->name);
	format->extra = printf_parse(d, format);
	return format->extra ? 0 : STATUS_SYNTAX;
}

/* printf(), system(), freopen() and dump() */
static int check_printf(struct dlang *d, struct ast_expr *e)
{
	struct printf_values v = {.func = e->ident->name, .pos = &e->pos, .first = 2};

	if (check_format(d, e))
		return STATUS_SYNTAX;
	v.types = arena_alloc(&d->arena, e->nargs * sizeof(*v.types));
	v.values = e->args->next;
	for (const struct ast_expr *a = v.values; a; a = a->next)
		v.types[v.count++] = a->type;
	return printf_check(d, e->args->extra, &v);
}

/* "." is reserved: elsewhere it means the original output. */
static int check_freopen(struct dlang *d, struct ast_expr *e)
{
	int rc = check_printf(d, e);

	if (!rc && strcmp(e->args->text, ".") == 0)
		return diag(d, &e->args->pos, "D_FREOPEN_INVALID",
			    "freopen( ) argument #1 cannot be \".\"");
	return rc;
}

/* ---- emit ---- */

#define EMIT_NAME_MAX 60

/* The name of an event: other tools and the kernel take no other. */
static bool is_event_name(const struct ast_expr *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return e->kind == EXPR_STRING && e->len > 0 && e->len <= EMIT_NAME_MAX &&
	       strspn(e->text, letters) == e->len && strcspn(e->text, letters + 53);
}

static bool is_emitted(const struct type *t)
{
	if (type_is_strcompat(t))
		return true;
	return type_resolve(t)->kind != TYPE_ARRAY &&
	       (type_is_scalar(t) || type_is_enum(t)) && !type_is_float(t);
}

static int check_emit(struct dlang *d, struct ast_expr *e)
{
	uint32_t number = 2;

	if (!is_event_name(e->args))
		return diag(
			d, &e->args->pos, "D_EMIT_NAME",
			"emit( ) argument #1 must be the name of an event: a string "
			"constant of at most %u letters, digits and '_'",
			EMIT_NAME_MAX);
	for (const struct ast_expr *a = e->args->next; a; a = a->next, number++)
		if (!is_emitted(a->type))
			return diag(d, &a->pos, "D_EMIT_ARG",
				    "emit( ) argument #%u is incompatible with "
				    "prototype:\n"
				    "\tprototype: integer, pointer or string\n"
				    "\t argument: %s",
				    number, expr_type_name(a));
	return 0;
}

/* ---- printa ---- */

/* All aggregations of one printa() must have the same keys. */
static int check_joined(struct dlang *d, const struct ast_expr *first,
			const struct ast_expr *other)
{
	const struct ident *a = first->ident, *b = other->ident;

	if (a->nparams != b->nparams)
		return diag(d, &other->pos, "D_PRINTA_AGGKEY",
			    "printa( ): @%s and @%s do not have matching key "
			    "signatures: @%s has %u key%s, @%s has %u key%s",
			    a->name, b->name, a->name, a->nparams,
			    a->nparams == 1 ? "" : "s", b->name, b->nparams,
			    b->nparams == 1 ? "" : "s");
	for (uint32_t i = 0; i < a->nparams; i++)
		if (!type_is_same(a->params[i], b->params[i]) &&
		    !type_is_like_location(a->params[i], b->params[i]))
			return diag(d, &other->pos, "D_PRINTA_AGGPROTO",
				    "printa( ): @%s[ ] key #%u is incompatible with "
				    "@%s:\n%9s key #%u: %s\n%9s key #%u: %s",
				    b->name, i + 1, a->name, a->name, i + 1,
				    a->params[i]->name, b->name, i + 1,
				    b->params[i]->name);
	return 0;
}

int check_printa_keys(struct dlang *d, const struct ast_expr *e)
{
	const struct ast_expr *format = e->args->kind == EXPR_STRING ? e->args : NULL;
	const struct ast_expr *first = format ? format->next : e->args;
	struct printf_values v = {.func = e->ident->name,
				  .pos = &e->pos,
				  .types = first->ident->params,
				  .count = first->ident->nparams,
				  .first = 2,
				  .aggs = first};
	int rc = 0;

	for (const struct ast_expr *a = first->next; a && !rc; a = a->next)
		rc = check_joined(d, first, a);
	return rc || !format ? rc : printf_check(d, format->extra, &v);
}

static int check_printa(struct dlang *d, struct ast_expr *e)
{
	struct ast_expr *first = e->args;
	struct agg_arg want = {1, "D_PRINTA_AGGARG", "D_PRINTA_AGGBAD"};
	bool is_defined = true;
	int rc = 0;

	if (e->args->kind == EXPR_STRING) {
		rc = check_format(d, e);
		first = e->args->next;
		want.number = 2;
	}
	if (rc)
		return rc;
	if (!first)
		return diag(d, &e->pos, "D_PRINTA_PROTO",
			    "printa( ) prototype mismatch: 1 args passed, 2 expected");
	for (struct ast_expr *a = first; a && !rc; a = a->next, want.number++) {
		rc = check_agg_arg(d, e, a, &want);
		is_defined = is_defined && !rc && a->ident->has_func;
	}
	if (!rc && is_defined)
		rc = check_printa_keys(d, e);
	return rc;
}

int check_record(struct dlang *d, struct ast_expr *e)
{
	switch (e->ident->number) {
	case ACTION_trace:
		return check_trace(d, e);
	case ACTION_print:
		return check_print(d, e);
	case ACTION_tracemem:
		return check_tracemem(d, e);
	case ACTION_printf:
	case ACTION_system:
	case ACTION_dump:
	case ACTION_gcore:
		return check_printf(d, e);
	case ACTION_freopen:
		return check_freopen(d, e);
	case ACTION_printa:
		return check_printa(d, e);
	case ACTION_emit:
		return check_emit(d, e);
	default:
		return 0; /* exit(), ftruncate(), setopt(): the prototype is enough */
	}
}
