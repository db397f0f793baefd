/* SPDX-License-Identifier: MIT */
/*
 * Locations: stack(), ustack(), jstack(), and sym(), usym() and the like. They can only
 * be recorded or be keys. Code that accepts them calls check_takes_locations() before
 * it checks the expressions.
 */
#include "dlang/check/internal.h"

void check_takes_locations(struct ast_expr *list)
{
	for (; list; list = list->next)
		if (list->kind == EXPR_CALL)
			list->flags |= EX_LOCATION;
}

/* The properties of one kind of stack. */
struct stack_kind {
	enum program_show show;
	uint32_t most; /* arguments */
	const char *tag_count, *tag_frames;
	uint64_t frames; /* of the option; 0: not set */
	uint32_t frames_default;
	const char *option;
};

static struct stack_kind kind_of(struct dlang *d, uint32_t subr)
{
	const struct dlang_options *o = &d->options;

	if (subr == SUBR_stack)
		return (struct stack_kind){
			SHOW_STACK,	1,  "D_STACK_PROTO", "D_STACK_SIZE",
			o->stackframes, 20, "stackframes"};
	if (subr == SUBR_jstack)
		return (struct stack_kind){
			SHOW_JSTACK,	 2,  "D_USTACK_PROTO", "D_USTACK_FRAMES",
			o->jstackframes, 50, "jstackframes"};
	return (struct stack_kind){
		SHOW_USTACK,	 2,  "D_USTACK_PROTO", "D_USTACK_FRAMES",
		o->ustackframes, 20, "ustackframes"};
}

static int check_constant(struct dlang *d, const struct ast_expr *e,
			  const struct ast_expr *arg, uint32_t number, const char *tag)
{
	bool is_negative = type_is_signed(arg->type) && (int64_t)arg->value < 0;

	if (expr_is_const(arg) && type_is_int(arg->type) && arg->value && !is_negative)
		return 0;
	return diag(d, &arg->pos, tag,
		    "%s( ) argument #%u must be a %spositive integer constant",
		    e->ident->name, number, number == 1 ? "non-zero " : "");
}

static int check_frames(struct dlang *d, const struct ast_expr *e,
			const struct stack_kind *kind, uint64_t frames)
{
	if (frames <= PROGRAM_FRAMES_MAX)
		return 0;
	if (e->nargs)
		return diag(d, &e->args->pos, kind->tag_frames,
			    "%s( ) argument #1 must not exceed %u frames",
			    e->ident->name, PROGRAM_FRAMES_MAX);
	return diag(d, &e->pos, kind->tag_frames,
		    "%s( ) by option %s must not exceed %u frames", e->ident->name,
		    kind->option, PROGRAM_FRAMES_MAX);
}

static int check_stack(struct dlang *d, struct ast_expr *e)
{
	struct stack_kind kind = kind_of(d, e->ident->number);
	uint64_t frames = kind.frames ? kind.frames : kind.frames_default;
	int rc;

	if (e->nargs > kind.most)
		return diag(d, &e->pos, kind.tag_count,
			    "%s( ) prototype mismatch: %u args passed, at most %u "
			    "expected",
			    e->ident->name, e->nargs, kind.most);
	rc = check_list(d, e->args);
	if (!rc && e->nargs > 0)
		rc = check_constant(d, e, e->args, 1, kind.tag_frames);
	if (!rc && e->nargs > 1)
		rc = check_constant(d, e, e->args->next, 2, "D_USTACK_STRSIZE");
	if (!rc && e->nargs > 0)
		frames = e->args->value;
	if (d->options.maxframes)
		frames = min_u64(frames, d->options.maxframes);
	if (!rc)
		rc = check_frames(d, e, &kind, frames);
	if (!rc)
		e->type = type_stack(types_of(d), (uint8_t)kind.show, (uint32_t)frames);
	return rc;
}

static enum program_show show_of(uint32_t subr)
{
	switch (subr) {
	case SUBR_sym:
	case SUBR_func:
		return SHOW_SYM;
	case SUBR_mod:
		return SHOW_MOD;
	case SUBR_uaddr:
		return SHOW_UADDR;
	case SUBR_umod:
		return SHOW_UMOD;
	default:
		return SHOW_USYM;
	}
}

int check_location(struct dlang *d, struct ast_expr *e)
{
	uint32_t subr = e->ident->number;
	int rc;

	if (subr == SUBR_stack || subr == SUBR_ustack || subr == SUBR_jstack)
		return check_stack(d, e);
	rc = check_subr(d, e);
	e->type = type_symaddr(types_of(d), (uint8_t)show_of(subr));
	return rc;
}
