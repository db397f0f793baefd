/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of variables, array elements, members and memory. Keys are evaluated
 * into registers before their tuple begins, so tuples nest only inside the values of an
 * action.
 */
#include "dlang/gen/internal.h"

#define TREGS_DEFAULT 8 /* of the option tregs */

void gen_push(struct gen *g, const struct type *t, unsigned r)
{
	uint32_t size = (uint32_t)type_size(types_of(g->d), t);

	if (type_is_string(t))
		gen_op(g, OP_TPS, r, 0, 0);
	else if (type_is_by_address(t))
		gen_imm(g, OP_TPB, r, 0, (int32_t)size);
	else
		gen_op(g, OP_TPI, r, 0, size);
}

void gen_tuple(struct gen *g, const struct type *const *types, uint32_t n,
	       unsigned base)
{
	gen_op(g, OP_TUP, 0, 0, 0);
	for (uint32_t i = 0; i < n; i++)
		gen_push(g, types[i], base + i);
}

void gen_keys(struct gen *g, const struct ast_expr *keys, const struct ident *id)
{
	uint32_t tregs = g->d->options.tregs;

	g->has_many_keys |= id->nparams > (tregs ? tregs : TREGS_DEFAULT);
	for (uint32_t i = 0; keys; i++, keys = keys->next)
		gen_converted(g, keys, id->params[i]);
}

/* A symbol of the target. */
static void open_symbol(struct gen *g, const struct ast_expr *e, struct place *p)
{
	p->kind = PLACE_MEMORY;
	p->is_user = true;
	p->count = 1;
	gen_const(g, regs_alloc(&g->regs), e->value);
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

static void open_lvalue(struct gen *g, const struct ast_expr *e, struct place *p);

/* The place of the object that a pointer designates, or of an array. */
static void open_base(struct gen *g, const struct ast_expr *e, struct place *p)
{
	if (type_resolve(e->type)->kind == TYPE_ARRAY && e->flags & EX_LVALUE) {
		open_lvalue(g, e, p);
		return;
	}
	if (p->is_store && type_is_string(e->type) && e->flags & EX_WRITABLE) {
		open_lvalue(g, e, p);
		p->is_text = p->kind != PLACE_MEMORY && !p->is_part;
		return;
	}
	gen_expr(g, e);
	p->kind = PLACE_MEMORY;
	p->count = 1;
	p->is_user = expr_is_userland(e);
}

/* Adds a constant to the offset, if it stays in range. */
static bool move_place(struct place *p, int64_t by)
{
	int64_t offset = p->offset + by;

	if (by < INT32_MIN || by > INT32_MAX || offset < INT32_MIN ||
	    offset > INT32_MAX)
		return false;
	p->offset = (int32_t)offset;
	return true;
}

/* Adds register r, the last allocated: it is freed, or kept as the index. */
static void add_register(struct gen *g, struct place *p, unsigned r)
{
	if (p->kind != PLACE_MEMORY && !p->has_index) {
		p->has_index = true;
		p->index = r;
		p->count++;
		return;
	}
	if (p->kind == PLACE_MEMORY)
		gen_op(g, OP_ADD, p->base, p->base, r);
	else
		gen_op(g, OP_ADD, p->index, p->index, r);
	regs_free(&g->regs, 1);
}

static void open_item(struct gen *g, const struct ast_expr *e, struct place *p)
{
	uint64_t size = type_size(types_of(g->d), e->type);
	int64_t by;
	unsigned r;

	open_base(g, e->left, p);
	p->is_part |= p->kind != PLACE_MEMORY;
	if (expr_is_const(e->args) &&
	    !__builtin_mul_overflow((int64_t)e->args->value, (int64_t)size, &by) &&
	    move_place(p, by))
		return;
	r = gen_converted(g, e->args, types_of(g->d)->t_int64);
	gen_scale(g, r, size);
	add_register(g, p, r);
}

static void open_member(struct gen *g, const struct ast_expr *e, struct place *p)
{
	const struct type_member *m = e->extra;
	unsigned r;

	if (e->op == AST_OP_ARROW)
		open_base(g, e->left, p);
	else
		open_lvalue(g, e->left, p);
	p->is_part |= p->kind != PLACE_MEMORY;
	p->bit = m->bit;
	p->nbits = m->nbits;
	if (move_place(p, (int64_t)m->offset))
		return;
	r = regs_alloc(&g->regs);
	gen_const(g, r, m->offset);
	add_register(g, p, r);
}

static void open_lvalue(struct gen *g, const struct ast_expr *e, struct place *p)
{
	p->ident = e->ident;
	if (e->kind == EXPR_VAR && e->flags & EX_SYMBOL) {
		open_symbol(g, e, p);
	} else if (e->kind == EXPR_VAR) {
		open_var(p);
	} else if (e->kind == EXPR_INDEX && e->ident) {
		open_element(g, e, p);
	} else if (e->kind == EXPR_INDEX) {
		open_item(g, e, p);
	} else if (e->kind == EXPR_MEMBER) {
		open_member(g, e, p);
	} else if (e->kind == EXPR_UNARY && e->op == AST_OP_DEREF) {
		open_base(g, e->left, p);
		p->is_part |= p->kind != PLACE_MEMORY;
	} else {
		/* A struct as a value is an address. */
		gen_converted(g, e, e->type);
		p->kind = PLACE_MEMORY;
		p->count = 1;
	}
}

static void open_place(struct gen *g, const struct ast_expr *e, struct place *p)
{
	p->base = g->regs.used;
	open_lvalue(g, e, p);
	p->type = e->type;
	if (p->kind == PLACE_MEMORY)
		p->ident = NULL;
	if (p->ident)
		g->contexts &= p->ident->contexts;
}

void place_open(struct gen *g, const struct ast_expr *e, struct place *p)
{
	*p = (struct place){.is_store = false};
	open_place(g, e, p);
}

void place_open_store(struct gen *g, const struct ast_expr *e, struct place *p)
{
	*p = (struct place){.is_store = true};
	open_place(g, e, p);
}

static void begin_tuple(struct gen *g, const struct place *p)
{
	gen_tuple(g, p->ident->params, p->ident->nparams, p->base);
}

/* ---- memory ---- */

static void shift(struct gen *g, enum isa_op op, unsigned r, unsigned by)
{
	unsigned t = regs_alloc(&g->regs);

	gen_const(g, t, by);
	gen_op(g, op, r, r, t);
	regs_free(&g->regs, 1);
}

/* Extracts the bit-field that begins at the given bit of r. */
static void take_bits(struct gen *g, const struct place *p, unsigned r, unsigned bit)
{
	unsigned above = 64 - bit - p->nbits;

	if (above)
		shift(g, OP_SHL, r, above);
	if (p->nbits < 64)
		shift(g, type_is_signed(p->type) ? OP_SAR : OP_SHR, r, 64u - p->nbits);
}

/* Whether the value in a register is an address: strings, structs, arrays. */
static bool is_address(const struct type *t)
{
	return type_is_string(t) || type_is_by_address(t);
}

/* Loads r from the address in register at, plus the offset. r may be at. */
static void load_memory(struct gen *g, const struct place *p, unsigned at, unsigned r)
{
	uint32_t size = (uint32_t)type_size(types_of(g->d), p->type);
	unsigned sign = type_is_signed(p->type) && !p->nbits ? ISA_SIGNED : 0;

	if (is_address(p->type)) {
		if (p->offset)
			gen_imm(g, OP_ADDI, r, at, p->offset);
		else if (r != at)
			gen_op(g, OP_MOV, r, at, 0);
		return;
	}
	gen_emit(g, (struct code_insn){p->is_user ? OP_ULD : OP_LD, r, at, size | sign,
				       p->offset});
	if (p->nbits)
		take_bits(g, p, r, p->bit);
}

/* Replaces the bit-field in register unit by r. */
static void insert_bits(struct gen *g, const struct place *p, unsigned unit, unsigned r)
{
	uint64_t mask = UINT64_MAX >> (64 - p->nbits);
	unsigned value = regs_alloc(&g->regs), constant = regs_alloc(&g->regs);

	gen_const(g, constant, ~(mask << p->bit));
	gen_op(g, OP_AND, unit, unit, constant);
	gen_const(g, constant, mask);
	gen_op(g, OP_AND, value, r, constant);
	if (p->bit)
		shift(g, OP_SHL, value, p->bit);
	gen_op(g, OP_OR, unit, unit, value);
	regs_free(&g->regs, 2);
}

static void store_bits(struct gen *g, const struct place *p, unsigned at, unsigned r)
{
	uint32_t size = (uint32_t)type_size(types_of(g->d), p->type);
	unsigned unit = regs_alloc(&g->regs);

	take_bits(g, p, r, 0);
	gen_emit(g, (struct code_insn){OP_LD, unit, at, size, p->offset});
	insert_bits(g, p, unit, r);
	gen_emit(g, (struct code_insn){OP_ST, at, unit, size, p->offset});
	regs_free(&g->regs, 1);
}

/* Copies the string or struct at address r to the place. */
static void store_content(struct gen *g, const struct place *p, unsigned at, unsigned r)
{
	uint32_t size = (uint32_t)type_size(types_of(g->d), p->type);
	unsigned to = regs_alloc(&g->regs);

	gen_imm(g, OP_ADDI, to, at, p->offset);
	gen_imm(g, type_is_string(p->type) ? OP_SCPY : OP_MCPY, to, r, (int32_t)size);
	regs_free(&g->regs, 1);
}

static void store_memory(struct gen *g, const struct place *p, unsigned at, unsigned r)
{
	uint32_t size = (uint32_t)type_size(types_of(g->d), p->type);

	if (is_address(p->type))
		store_content(g, p, at, r);
	else if (p->nbits)
		store_bits(g, p, at, r);
	else
		gen_emit(g, (struct code_insn){OP_ST, at, r, size, p->offset});
}

/* ---- variables ---- */

static void load_whole(struct gen *g, const struct place *p, unsigned r, bool keep)
{
	int32_t number = (int32_t)p->ident->number;

	switch (p->kind) {
	case PLACE_BUILTIN:
		gen_imm(g, OP_BI, r, 0, number);
		break;
	case PLACE_BUILTIN_ELEMENT:
		gen_imm(g, OP_BIX, r, p->base, number);
		break;
	case PLACE_GLOBAL:
		gen_imm(g, OP_LDG, r, 0, number);
		break;
	case PLACE_THIS:
		gen_imm(g, OP_LDT, r, 0, number);
		break;
	default:
		begin_tuple(g, p);
		gen_emit(g, (struct code_insn){OP_LDD, r, 0, keep, number});
	}
}

static void store_whole(struct gen *g, const struct place *p, unsigned r, bool kept)
{
	int32_t number = (int32_t)p->ident->number;

	switch (p->kind) {
	case PLACE_GLOBAL:
		gen_imm(g, OP_STG, r, 0, number);
		break;
	case PLACE_THIS:
		gen_imm(g, OP_STT, r, 0, number);
		break;
	case PLACE_DYN:
		if (!kept)
			begin_tuple(g, p);
		gen_imm(g, OP_STD, r, 0, number);
		break;
	default:
		break; /* the checker rejects assignments to others */
	}
}

/* ---- addresses ---- */

/* Whether the variable is at an address: all but elements of associative arrays. */
static bool has_address(const struct place *p)
{
	return p->kind == PLACE_MEMORY || p->kind == PLACE_GLOBAL ||
	       p->kind == PLACE_THIS ||
	       (p->kind == PLACE_DYN && p->ident->scope == SCOPE_SELF &&
		p->ident->nparams == 0);
}

/* r = address of the place, which is none in PLACE_MEMORY */
static void load_address(struct gen *g, const struct place *p, unsigned r)
{
	int32_t number = (int32_t)p->ident->number;
	unsigned at = regs_alloc(&g->regs);

	if (p->kind == PLACE_GLOBAL) {
		gen_imm(g, OP_LDGA, at, 0, number);
	} else if (p->kind == PLACE_THIS) {
		gen_imm(g, OP_LDT, at, 0, number);
	} else {
		begin_tuple(g, p);
		gen_imm(g, OP_LDDA, at, 0, number);
	}
	if (p->has_index)
		gen_op(g, OP_ADD, at, at, p->index);
	gen_imm(g, OP_ADDI, r, at, p->offset);
	regs_free(&g->regs, 1);
}

static bool is_live_array(const struct place *p)
{
	return type_resolve(p->type)->kind == TYPE_ARRAY && has_address(p);
}

/* ---- parts of variables ---- */

/* Whether the machine can load and store the sub-object by itself. */
static bool is_direct(const struct place *p)
{
	return !is_address(p->type) && !p->is_text &&
	       (p->kind == PLACE_GLOBAL || p->kind == PLACE_DYN);
}

/* Allocates a register with the offset in the variable. */
static unsigned part_offset(struct gen *g, const struct place *p)
{
	unsigned r = regs_alloc(&g->regs);

	if (p->has_index)
		gen_imm(g, OP_ADDI, r, p->index, p->offset);
	else
		gen_const(g, r, (uint64_t)p->offset);
	return r;
}

static void load_direct(struct gen *g, const struct place *p, unsigned r, unsigned sign)
{
	uint32_t size = (uint32_t)type_size(types_of(g->d), p->type);
	bool is_global = p->kind == PLACE_GLOBAL;
	unsigned at;

	if (!is_global)
		begin_tuple(g, p);
	at = part_offset(g, p);
	gen_emit(g, (struct code_insn){is_global ? OP_LDGP : OP_LDDP, r, at,
				       size | sign, (int32_t)p->ident->number});
	regs_free(&g->regs, 1);
}

static void store_direct(struct gen *g, const struct place *p, unsigned r)
{
	uint32_t size = (uint32_t)type_size(types_of(g->d), p->type);
	bool is_global = p->kind == PLACE_GLOBAL;
	unsigned at;

	if (!is_global)
		begin_tuple(g, p);
	at = part_offset(g, p);
	gen_emit(g, (struct code_insn){is_global ? OP_STGP : OP_STDP, r, at, size,
				       (int32_t)p->ident->number});
	regs_free(&g->regs, 1);
}

/*
 * Copies the whole variable. Allocates a register for its address, and the result for
 * that of the sub-object.
 */
static unsigned open_copy(struct gen *g, const struct place *p, unsigned *whole)
{
	unsigned at;

	*whole = regs_alloc(&g->regs);
	at = regs_alloc(&g->regs);
	load_whole(g, p, *whole, false);
	if (p->has_index)
		gen_op(g, OP_ADD, at, *whole, p->index);
	else
		gen_op(g, OP_MOV, at, *whole, 0);
	return at;
}

static void load_part(struct gen *g, const struct place *p, unsigned r)
{
	unsigned whole, at;

	if (is_direct(p)) {
		load_direct(g, p, r,
			    type_is_signed(p->type) && !p->nbits ? ISA_SIGNED : 0);
		if (p->nbits)
			take_bits(g, p, r, p->bit);
		return;
	}
	at = open_copy(g, p, &whole);
	load_memory(g, p, at, r);
	regs_free(&g->regs, 2);
}

/* A byte of a string variable: the variable gets a copy with that byte. */
static void store_text(struct gen *g, const struct place *p, unsigned r)
{
	unsigned whole = regs_alloc(&g->regs), at;

	load_whole(g, p, whole, false);
	at = part_offset(g, p);
	gen_op(g, OP_SRW, whole, whole, at);
	gen_op(g, OP_ADD, at, whole, at);
	gen_emit(g, (struct code_insn){OP_ST, at, r, 1, 0});
	store_whole(g, p, whole, false);
	regs_free(&g->regs, 2);
}

static void store_part(struct gen *g, const struct place *p, unsigned r)
{
	unsigned whole, at;

	if (is_direct(p)) {
		at = r;
		if (p->nbits) {
			at = regs_alloc(&g->regs);
			take_bits(g, p, r, 0);
			load_direct(g, p, at, 0);
			insert_bits(g, p, at, r);
		}
		store_direct(g, p, at);
		regs_free(&g->regs, p->nbits ? 1 : 0);
		return;
	}
	if (p->is_text) {
		store_text(g, p, r);
		return;
	}
	at = open_copy(g, p, &whole);
	store_memory(g, p, at, r);
	/* The address of a clause-local variable is of itself, not of a copy. */
	if (p->kind != PLACE_THIS)
		store_whole(g, p, whole, false);
	regs_free(&g->regs, 2);
}

/* ---- any place ---- */

void place_load(struct gen *g, const struct place *p, unsigned r, bool keep)
{
	if (p->kind == PLACE_MEMORY)
		load_memory(g, p, p->base, r);
	else if (is_live_array(p))
		load_address(g, p, r);
	else if (p->is_part)
		load_part(g, p, r);
	else
		load_whole(g, p, r, keep);
	if (p->is_user)
		g->contexts &= CONTEXT_KEEPER | CONTEXT_RESIDENT;
}

void place_store(struct gen *g, const struct place *p, unsigned r, bool kept)
{
	if (p->kind == PLACE_MEMORY)
		store_memory(g, p, p->base, r);
	else if (p->is_part)
		store_part(g, p, r);
	else
		store_whole(g, p, r, kept);
}

unsigned place_address(struct gen *g, const struct place *p)
{
	unsigned r = p->count ? p->base : regs_alloc(&g->regs);

	if (p->kind != PLACE_MEMORY)
		load_address(g, p, r);
	else if (p->offset)
		gen_imm(g, OP_ADDI, r, r, p->offset);
	if (p->count > 1)
		regs_free(&g->regs, p->count - 1);
	return r;
}
