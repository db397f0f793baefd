/* SPDX-License-Identifier: MIT */
/*
 * Variables, array elements and memory: loads and stores. Keys are evaluated
 * into registers before their tuple is begun, so tuples nest only where an
 * action's values need one of their own.
 */
#include "dlang/gen.h"

void gen_push(struct gen *g, const struct type *t, unsigned r)
{
	uint32_t size = (uint32_t)type_size(types_of(g->d), t);

	if (type_is_string(t))
		gen_op(g, INSN_TPS, r, 0, 0);
	else if (type_is_by_address(t))
		gen_imm(g, INSN_TPB, r, 0, (int32_t)size);
	else
		gen_op(g, INSN_TPI, r, 0, size);
}

void gen_tuple(struct gen *g, const struct type *const *types, uint32_t n,
	       unsigned base)
{
	gen_op(g, INSN_TUP, 0, 0, 0);
	for (uint32_t i = 0; i < n; i++)
		gen_push(g, types[i], base + i);
}

void gen_keys(struct gen *g, const struct ast_expr *keys, const struct ident *id)
{
	for (uint32_t i = 0; keys; i++, keys = keys->next)
		gen_converted(g, keys, id->params[i]);
}

static void open_var(struct place *p)
{
	switch (p->ident->kind) {
	case IDENT_BUILTIN:
		p->kind = PLACE_BUILTIN;
		break;
	case IDENT_SCALAR:
		p->kind = p->ident->scope == SCOPE_GLOBAL ? PLACE_GLOBAL
			  : p->ident->scope == SCOPE_THIS ? PLACE_THIS
							  : PLACE_DYN;
		break;
	default:
		p->kind = PLACE_DYN;
	}
}

static void open_element(struct gen *g, const struct ast_expr *e, struct place *p)
{
	p->count = e->nargs;
	if (e->ident->kind == IDENT_BUILTIN_ARRAY) {
		p->kind = PLACE_BUILTIN_ELEMENT;
		gen_converted(g, e->args, types_of(g->d)->t_int64);
		return;
	}
	p->kind = PLACE_DYN;
	gen_keys(g, e->args, e->ident);
}

static void open_memory(struct gen *g, const struct ast_expr *e, struct place *p)
{
	unsigned r = gen_expr(g, e->left), index;

	p->kind = PLACE_MEMORY;
	p->count = 1;
	p->is_user = type_is_userland(e->left->type);
	if (e->kind != EXPR_INDEX)
		return;
	index = gen_converted(g, e->args, types_of(g->d)->t_int64);
	gen_scale(g, index, type_size(types_of(g->d), e->type));
	gen_op(g, INSN_ADD, r, r, index);
	regs_give(&g->regs, 1);
}

void place_open(struct gen *g, const struct ast_expr *e, struct place *p)
{
	*p = (struct place){.ident = e->ident, .type = e->type, .base = g->regs.used};
	if (e->kind == EXPR_VAR)
		open_var(p);
	else if (e->kind == EXPR_INDEX && e->ident)
		open_element(g, e, p);
	else
		open_memory(g, e, p);
	if (p->ident)
		g->homes &= p->ident->homes;
}

/* Strings and arrays in memory are their own address. */
static void load_memory(struct gen *g, const struct place *p, unsigned r)
{
	uint32_t size = (uint32_t)type_size(types_of(g->d), p->type);
	unsigned sign = type_is_signed(p->type) ? INSN_SIGNED : 0;

	if (!type_is_scalar(p->type)) {
		if (r != p->base)
			gen_op(g, INSN_MOV, r, p->base, 0);
		return;
	}
	gen_op(g, p->is_user ? INSN_ULD : INSN_LD, r, p->base, size | sign);
	if (p->is_user)
		g->homes &= HOME_KEEPER | HOME_RESIDENT;
}

static void begin_tuple(struct gen *g, const struct place *p)
{
	gen_tuple(g, p->ident->params, p->count, p->base);
}

void place_load(struct gen *g, const struct place *p, unsigned r, bool keep)
{
	int32_t number = p->ident ? (int32_t)p->ident->number : 0;

	switch (p->kind) {
	case PLACE_BUILTIN:
		gen_imm(g, INSN_BI, r, 0, number);
		break;
	case PLACE_BUILTIN_ELEMENT:
		gen_imm(g, INSN_BIX, r, p->base, number);
		break;
	case PLACE_GLOBAL:
		gen_imm(g, INSN_LDG, r, 0, number);
		break;
	case PLACE_THIS:
		gen_imm(g, INSN_LDT, r, 0, number);
		break;
	case PLACE_DYN:
		begin_tuple(g, p);
		gen_emit(g, (struct code_insn){INSN_LDD, r, 0, keep, number});
		break;
	case PLACE_MEMORY:
		load_memory(g, p, r);
		break;
	}
}

void place_store(struct gen *g, const struct place *p, unsigned r, bool kept)
{
	int32_t number = p->ident ? (int32_t)p->ident->number : 0;
	uint32_t size = (uint32_t)type_size(types_of(g->d), p->type);

	switch (p->kind) {
	case PLACE_GLOBAL:
		gen_imm(g, INSN_STG, r, 0, number);
		break;
	case PLACE_THIS:
		gen_imm(g, INSN_STT, r, 0, number);
		break;
	case PLACE_DYN:
		if (!kept)
			begin_tuple(g, p);
		gen_imm(g, INSN_STD, r, 0, number);
		break;
	case PLACE_MEMORY:
		gen_op(g, INSN_ST, p->base, r, size);
		break;
	case PLACE_BUILTIN:
	case PLACE_BUILTIN_ELEMENT:
		break; /* the checker lets nobody write them */
	}
}
