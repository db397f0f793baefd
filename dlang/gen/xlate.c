/* SPDX-License-Identifier: MIT */
/*
 * A translated struct as a value. It is made in a clause-local variable whose name no
 * program can spell. Members without a conversion are zero.
 */
#include "dlang/gen/internal.h"

#include "dlang/check/xlate.h"

static struct ident *new_local(struct gen *g, const struct type *t)
{
	struct scope *s = scope_of(g->d);
	const char *name =
		arena_printf(&g->d->arena, "%%xlate_%zu", scope_count(s, AST_THIS));

	return scope_add_var(s, AST_THIS, name, IDENT_SCALAR, t);
}

/* Copies a string to an array of char, which may be longer. */
static void store_text(struct gen *g, const struct place *p, unsigned r)
{
	unsigned to = regs_alloc(&g->regs);

	gen_imm(g, OP_ADDI, to, p->base, p->offset);
	gen_imm(g, OP_SCPY, to, r, (int32_t)type_size(types_of(g->d), p->type));
	regs_free(&g->regs, 1);
}

static void gen_member(struct gen *g, const struct ast_expr *e, const char *name,
		       unsigned base)
{
	const struct xlation *x = e->extra;
	const struct ast_expr *value = xlate_conversion(g->d, e, name);
	struct place p = {.kind = PLACE_MEMORY, .base = base, .count = 1};
	struct type_member m;
	unsigned r;

	/* the error is reported, or it is a translated pointer, which has no value */
	if (!value || xlate_is_pointer(value, NULL))
		return;
	type_member(types_of(g->d), x->translator->out, name, &m);
	p.type = m.type;
	p.offset = (int32_t)m.offset;
	p.bit = m.bit;
	p.nbits = m.nbits;
	if (type_is_strcompat(m.type) && !type_is_scalar(m.type) &&
	    type_is_strcompat(value->type)) {
		r = gen_string(g, value);
		store_text(g, &p, r);
	} else {
		r = gen_converted(g, value, m.type);
		place_store(g, &p, r, false);
	}
	regs_free(&g->regs, 1);
}

unsigned gen_xlate(struct gen *g, const struct ast_expr *e)
{
	const struct xlation *x = e->extra;
	unsigned r = regs_alloc(&g->regs);
	struct ident *local = new_local(g, x->translator->out);

	gen_imm(g, OP_LDT, r, 0, (int32_t)local->number);
	for (const struct ast_conversion *c = x->translator->def->members; c;
	     c = c->next)
		gen_member(g, e, c->name, r);
	return r;
}
