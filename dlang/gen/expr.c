/* SPDX-License-Identifier: MIT */
/*
 * Code of expressions. As D defines it, results have 64 bits until they are stored, cast,
 * passed or recorded. That cuts them to the type that they get, not to their own.
 */
#include "dlang/gen/internal.h"

#include <assert.h>

#include "dlang/base/content.h"
#include "dlang/check/fold.h"

static uint32_t size_of(struct gen *g, const struct type *t)
{
	return (uint32_t)type_size(types_of(g->d), t);
}

void gen_const(struct gen *g, unsigned r, uint64_t v)
{
	if ((int64_t)v >= INT32_MIN && (int64_t)v <= INT32_MAX)
		gen_imm(g, OP_LI, r, 0, (int32_t)v);
	else
		gen_imm(g, OP_LC, r, 0, (int32_t)image_const(g->img, v));
}

void gen_scale(struct gen *g, unsigned r, uint64_t size)
{
	unsigned t;

	if (size == 1)
		return;
	t = regs_alloc(&g->regs);
	gen_const(g, t, size);
	gen_op(g, OP_MUL, r, r, t);
	regs_free(&g->regs, 1);
}

/* ---- conversion ---- */

static void extend(struct gen *g, unsigned r, uint32_t size, bool is_signed)
{
	if (size < 8)
		gen_op(g, is_signed ? OP_EXTS : OP_EXTU, r, r, size);
}

/*
 * Converts r from one type to the other. is_exact: r is in the range of its type, and
 * extended. Else all its 64 bits count: a wider type gets them whole.
 */
static void convert(struct gen *g, unsigned r, const struct type *from,
		    const struct type *to, bool is_exact)
{
	bool from_signed = type_is_signed(from), to_signed = type_is_signed(to);
	uint32_t from_size, to_size;

	if (!type_is_scalar(from) || !type_is_scalar(to))
		return;
	from_size = size_of(g, from);
	to_size = size_of(g, to);
	if (is_exact && to_size > from_size && (to_signed || !from_signed))
		return;
	if (is_exact && to_size == from_size && to_signed == from_signed)
		return;
	extend(g, r, to_size, to_signed);
}

/* Whether the result is 0 or 1. */
static bool is_truth(enum ast_op op)
{
	return (op >= AST_OP_LT && op <= AST_OP_NE) ||
	       (op >= AST_OP_LAND && op <= AST_OP_LOR);
}

/* Whether the value of the variable or element may exceed its type. */
static bool is_wide(const struct ast_expr *e)
{
	return (e->kind == EXPR_VAR || e->kind == EXPR_INDEX) && e->ident &&
	       e->ident->is_wide;
}

/*
 * Whether the value is known to be in the range of its type. Arithmetic may exceed it;
 * so may & | ^, by the high bits or the sign of an operand, and a variable that nobody
 * declared.
 */
static bool is_exact(const struct ast_expr *e)
{
	switch (e->kind) {
	case EXPR_BINARY:
		return type_resolve(e->type)->size >= 8 || is_truth(e->op);
	case EXPR_UNARY:
		if (e->op == AST_OP_PREINC || e->op == AST_OP_PREDEC)
			return !is_wide(e->left);
		return e->op != AST_OP_NEG && e->op != AST_OP_BNOT &&
		       e->op != AST_OP_PLUS;
	case EXPR_POSTFIX:
	case EXPR_ASSIGN:
		return !is_wide(e->left);
	case EXPR_COMMA:
	case EXPR_COND:
		return false;
	default:
		return !is_wide(e);
	}
}

/* Whether it is a struct or array in memory of the target, whose value is an address. */
static bool is_in_target(const struct ast_expr *e)
{
	return e->flags & EX_USER && type_is_by_address(e->type);
}

unsigned gen_converted(struct gen *g, const struct ast_expr *e, const struct type *to)
{
	unsigned r;

	if (e->kind == EXPR_INT) {
		r = regs_alloc(&g->regs);
		gen_const(g, r,
			  type_is_scalar(to) ? fold_cast(e->value, to) : e->value);
		return r;
	}
	if (type_is_string(to))
		return gen_string(g, e);
	r = gen_expr(g, e);
	if (is_in_target(e) && type_resolve(to)->kind != TYPE_POINTER)
		gen_copyin(g, r, size_of(g, e->type));
	convert(g, r, e->type, to, is_exact(e));
	return r;
}

void gen_copyin(struct gen *g, unsigned r, uint32_t n)
{
	unsigned size = regs_alloc(&g->regs);

	gen_const(g, size, n);
	gen_emit(g, (struct code_insn){OP_CALL, r, r, 2, SUBR_copyin});
	g->contexts &= CONTEXT_KEEPER | CONTEXT_RESIDENT;
	regs_free(&g->regs, 1);
}

/* r = copyinstr(r), of at most size bytes; size 0: of any length */
static void copy_string(struct gen *g, unsigned r, uint64_t size)
{
	unsigned count = 1;

	if (size) {
		gen_const(g, regs_alloc(&g->regs), size);
		count++;
	}
	gen_emit(g, (struct code_insn){OP_CALL, r, r, count, SUBR_copyinstr});
	regs_free(&g->regs, count - 1);
	g->contexts &= CONTEXT_KEEPER | CONTEXT_RESIDENT;
}

unsigned gen_string(struct gen *g, const struct ast_expr *e)
{
	bool is_array = type_resolve(e->type)->kind == TYPE_ARRAY;
	unsigned r = gen_expr(g, e);

	if (is_in_target(e))
		copy_string(g, r, type_size(types_of(g->d), e->type));
	else if (type_is_userland(e->type))
		copy_string(g, r, 0);
	else if (is_array)
		gen_imm(g, OP_SARR, r, r, (int32_t)type_size(types_of(g->d), e->type));
	return r;
}

/* The text of a C++ or Rust string, or of one that e points to. */
static unsigned gen_text(struct gen *g, const struct ast_expr *e,
			 const struct content *c)
{
	bool is_user = e->flags & EX_USER;
	unsigned r, n;

	if (type_resolve(e->type)->kind == TYPE_POINTER)
		is_user = type_is_userland(e->type);
	r = gen_expr(g, e);
	n = regs_alloc(&g->regs);
	gen_emit(g, (struct code_insn){is_user ? OP_ULD : OP_LD, n, r, 8,
				       (int32_t)c->length});
	gen_emit(g, (struct code_insn){is_user ? OP_ULD : OP_LD, r, r, 8,
				       (int32_t)c->begin});
	gen_emit(g, (struct code_insn){OP_CALL, r, r, 2, SUBR_copyinstr});
	g->contexts &= CONTEXT_KEEPER | CONTEXT_RESIDENT;
	regs_free(&g->regs, 1);
	return r;
}

/* ---- operators ---- */

/* ra = ra op rb, by the signedness of type. */
static void binary_op(struct gen *g, enum ast_op op, const struct type *type,
		      unsigned ra, unsigned rb)
{
	static const struct {
		enum isa_op s, u; /* signed, unsigned */
		bool swapped;
	} insns[] = {
		[AST_OP_MUL] = {OP_MUL, OP_MUL, false},
		[AST_OP_DIV] = {OP_DIVS, OP_DIVU, false},
		[AST_OP_MOD] = {OP_REMS, OP_REMU, false},
		[AST_OP_ADD] = {OP_ADD, OP_ADD, false},
		[AST_OP_SUB] = {OP_SUB, OP_SUB, false},
		[AST_OP_SHL] = {OP_SHL, OP_SHL, false},
		[AST_OP_SHR] = {OP_SAR, OP_SHR, false},
		[AST_OP_LT] = {OP_SLTS, OP_SLTU, false},
		[AST_OP_LE] = {OP_SLES, OP_SLEU, false},
		[AST_OP_GT] = {OP_SLTS, OP_SLTU, true},
		[AST_OP_GE] = {OP_SLES, OP_SLEU, true},
		[AST_OP_EQ] = {OP_SEQ, OP_SEQ, false},
		[AST_OP_NE] = {OP_SNE, OP_SNE, false},
		[AST_OP_BAND] = {OP_AND, OP_AND, false},
		[AST_OP_BXOR] = {OP_XOR, OP_XOR, false},
		[AST_OP_BOR] = {OP_OR, OP_OR, false},
	};
	enum isa_op insn = type_is_signed(type) ? insns[op].s : insns[op].u;

	if (insns[op].swapped)
		gen_op(g, insn, ra, rb, ra);
	else
		gen_op(g, insn, ra, ra, rb);
}

static unsigned gen_compare(struct gen *g, const struct ast_expr *e)
{
	const struct type *l = e->left->type, *r = e->right->type;
	/* Pointers are unsigned. */
	const struct type *type = types_of(g->d)->t_ulong;
	bool is_str = e->flags & EX_STRCMP;
	unsigned ra, rb;

	if (type_is_int(l) && type_is_int(r))
		type = type_promote(l, r);
	ra = is_str ? gen_string(g, e->left) : gen_expr(g, e->left);
	rb = is_str ? gen_string(g, e->right) : gen_expr(g, e->right);
	if (is_str) {
		gen_op(g, OP_SCMP, ra, ra, rb);
		gen_const(g, rb, 0);
		type = types_of(g->d)->t_int;
	}
	binary_op(g, e->op, type, ra, rb);
	regs_free(&g->regs, 1);
	return ra;
}

/* && and ||: the right side is evaluated only if needed. */
static unsigned gen_short_circuit(struct gen *g, const struct ast_expr *e)
{
	unsigned r = gen_expr(g, e->left), r2;
	uint32_t jump = gen_op(g, e->op == AST_OP_LAND ? OP_JZ : OP_JNZ, r, 0, 0);

	regs_free(&g->regs, 1);
	r2 = gen_expr(g, e->right);
	assert(r2 == r);
	code_patch_jump(g->img, jump);
	gen_op(g, OP_LNOT, r, r2, 0);
	gen_op(g, OP_LNOT, r, r, 0);
	return r;
}

static unsigned gen_logical_xor(struct gen *g, const struct ast_expr *e)
{
	unsigned ra = gen_expr(g, e->left), rb = gen_expr(g, e->right);

	gen_op(g, OP_LNOT, ra, ra, 0);
	gen_op(g, OP_LNOT, rb, rb, 0);
	gen_op(g, OP_XOR, ra, ra, rb);
	regs_free(&g->regs, 1);
	return ra;
}

static uint64_t pointee_size(struct gen *g, const struct type *t)
{
	return type_size(types_of(g->d), type_pointee(types_of(g->d), t));
}

/* Pointer + integer, pointer - integer, pointer - pointer. */
static unsigned gen_pointer_sum(struct gen *g, const struct ast_expr *e)
{
	const struct type *l = e->left->type, *r = e->right->type;
	const struct type *index = types_of(g->d)->t_int64;
	bool l_int = type_is_int(l), r_int = type_is_int(r);
	unsigned ra = l_int ? gen_converted(g, e->left, index) : gen_expr(g, e->left);
	unsigned rb;

	if (l_int)
		gen_scale(g, ra, pointee_size(g, r));
	rb = r_int ? gen_converted(g, e->right, index) : gen_expr(g, e->right);
	if (r_int)
		gen_scale(g, rb, pointee_size(g, l));
	gen_op(g, e->op == AST_OP_ADD ? OP_ADD : OP_SUB, ra, ra, rb);
	if (!l_int && !r_int && pointee_size(g, l) > 1) {
		gen_const(g, rb, pointee_size(g, l));
		gen_op(g, OP_DIVS, ra, ra, rb);
	}
	regs_free(&g->regs, 1);
	return ra;
}

static unsigned gen_binary(struct gen *g, const struct ast_expr *e)
{
	unsigned ra, rb;

	if (e->op == AST_OP_LAND || e->op == AST_OP_LOR)
		return gen_short_circuit(g, e);
	if (e->op == AST_OP_LXOR)
		return gen_logical_xor(g, e);
	if (e->op >= AST_OP_LT && e->op <= AST_OP_NE)
		return gen_compare(g, e);
	if (!type_is_int(e->left->type) || !type_is_int(e->right->type))
		return gen_pointer_sum(g, e);
	ra = gen_expr(g, e->left);
	rb = gen_expr(g, e->right);
	binary_op(g, e->op, e->type, ra, rb);
	regs_free(&g->regs, 1);
	return ra;
}

static unsigned gen_load(struct gen *g, const struct ast_expr *e)
{
	struct place p;
	unsigned r;

	place_open(g, e, &p);
	r = p.count ? p.base : regs_alloc(&g->regs);
	place_load(g, &p, r, false);
	if (p.is_user && type_is_string(p.type))
		copy_string(g, r, size_of(g, p.type));
	if (p.count > 1)
		regs_free(&g->regs, p.count - 1);
	return r;
}

static unsigned gen_address(struct gen *g, const struct ast_expr *e)
{
	struct place p;

	place_open(g, e, &p);
	return place_address(g, &p);
}

static unsigned gen_unary(struct gen *g, const struct ast_expr *e)
{
	unsigned r;

	switch (e->op) {
	case AST_OP_DEREF:
		return gen_load(g, e);
	case AST_OP_ADDR:
		return gen_address(g, e->left);
	case AST_OP_STRINGOF:
		return e->extra ? gen_text(g, e->left, e->extra)
				: gen_string(g, e->left);
	default:
		break;
	}
	r = gen_expr(g, e->left);
	if (e->op == AST_OP_NOT)
		gen_op(g, OP_LNOT, r, r, 0);
	else if (e->op == AST_OP_BNOT)
		gen_op(g, OP_NOT, r, r, 0);
	else if (e->op == AST_OP_NEG)
		gen_op(g, OP_NEG, r, r, 0);
	return r;
}

/* ---- assignment ---- */

/* Frees all registers but one, which gets the value of r. */
static unsigned finish_store(struct gen *g, const struct place *p, unsigned r)
{
	if (p->count == 0)
		return r;
	gen_op(g, OP_MOV, p->base, r, 0);
	regs_free(&g->regs, p->count);
	return p->base;
}

/* A variable that nobody declared keeps all 64 bits of an integer. */
static unsigned gen_stored(struct gen *g, const struct ast_expr *e, bool is_kept_whole,
			   const struct type *t)
{
	if (is_kept_whole && type_is_int(e->type))
		return gen_expr(g, e);
	return gen_converted(g, e, t);
}

static unsigned gen_plain_assign(struct gen *g, const struct ast_expr *e)
{
	struct place p;
	unsigned r;

	place_open_store(g, e->left, &p);
	r = gen_stored(g, e->right, is_wide(e->left), p.type);
	place_store(g, &p, r, false);
	return finish_store(g, &p, r);
}

/* The type of the operation of an op=. */
static const struct type *operation_type(const struct ast_expr *e, enum ast_op op)
{
	if (op == AST_OP_SHL || op == AST_OP_SHR || !type_is_int(e->left->type))
		return e->left->type;
	return type_promote(e->left->type, e->right->type);
}

static unsigned gen_compound(struct gen *g, const struct ast_expr *e)
{
	enum ast_op op = ast_op_of_assign(e->op);
	bool is_pointer = type_is_pointer(e->left->type);
	struct place p;
	unsigned r, operand;

	/* The operand before the load: its tuples must not interfere with that of p. */
	place_open_store(g, e->left, &p);
	r = regs_alloc(&g->regs);
	if (is_pointer) {
		operand = gen_converted(g, e->right, types_of(g->d)->t_int64);
		gen_scale(g, operand, pointee_size(g, p.type));
	} else {
		operand = gen_expr(g, e->right);
	}
	place_load(g, &p, r, true);
	binary_op(g, op, operation_type(e, op), r, operand);
	regs_free(&g->regs, 1);
	if (!is_wide(e->left))
		convert(g, r, p.type, p.type, false);
	place_store(g, &p, r, true);
	return finish_store(g, &p, r);
}

/* ++ and --; the result of the postfix ones is the old value. */
static unsigned gen_incdec(struct gen *g, const struct ast_expr *e)
{
	bool is_post = e->op == AST_OP_POSTINC || e->op == AST_OP_POSTDEC;
	bool is_inc = e->op == AST_OP_POSTINC || e->op == AST_OP_PREINC;
	struct place p;
	uint64_t step;
	unsigned r, new;

	place_open_store(g, e->left, &p);
	step = type_is_pointer(p.type) ? pointee_size(g, p.type) : 1;
	r = regs_alloc(&g->regs);
	new = is_post ? regs_alloc(&g->regs) : r;
	place_load(g, &p, r, true);
	gen_imm(g, OP_ADDI, new, r, is_inc ? (int32_t)step : -(int32_t)step);
	if (!is_wide(e->left))
		convert(g, new, p.type, p.type, false);
	place_store(g, &p, new, true);
	if (is_post)
		regs_free(&g->regs, 1);
	return finish_store(g, &p, r);
}

/* ---- the rest ---- */

/* A branch of ?: as the type of both; an integer is not cut. */
static unsigned gen_branch(struct gen *g, const struct ast_expr *e,
			   const struct type *t)
{
	return type_is_int(e->type) ? gen_expr(g, e) : gen_converted(g, e, t);
}

static unsigned gen_cond(struct gen *g, const struct ast_expr *e)
{
	unsigned r = gen_expr(g, e->left), r2;
	uint32_t to_else = gen_op(g, OP_JZ, r, 0, 0), to_end;

	regs_free(&g->regs, 1);
	r2 = gen_branch(g, e->right, e->type);
	assert(r2 == r);
	regs_free(&g->regs, 1);
	to_end = gen_op(g, OP_JMP, 0, 0, 0);
	code_patch_jump(g->img, to_else);
	r2 = gen_branch(g, e->third, e->type);
	assert(r2 == r);
	code_patch_jump(g->img, to_end);
	return r;
}

static unsigned gen_stack(struct gen *g, const struct ast_expr *e)
{
	unsigned r = regs_alloc(&g->regs);

	g->contexts &= e->ident->contexts;
	if (g->d->options.pystack && e->ident->number != SUBR_stack)
		g->contexts &= ~(uint32_t)CONTEXT_RESIDENT;
	gen_const(g, r, type_resolve(e->type)->count);
	gen_emit(g, (struct code_insn){OP_CALL, r, r, 1, (int32_t)e->ident->number});
	return r;
}

static unsigned gen_call(struct gen *g, const struct ast_expr *e)
{
	const struct ident *id = e->ident;
	const struct ast_expr *arg = e->args;
	unsigned first = g->regs.used;

	for (uint32_t i = 0; arg; i++, arg = arg->next) {
		if (!id->params[i])
			gen_expr(g, arg);
		else if (type_is_strcompat(id->params[i]))
			gen_string(g, arg);
		else
			gen_converted(g, arg, id->params[i]);
	}
	g->contexts &= id->contexts;
	if (id->flags & SUBR_DESTRUCTIVE)
		g->destructive = true;
	g->is_recorder |= id->number == SUBR_record_data;
	if (e->nargs == 0)
		regs_alloc(&g->regs);
	else
		regs_free(&g->regs, e->nargs - 1);
	first = g->regs.overflow ? 0 : first;
	gen_emit(g, (struct code_insn){OP_CALL, first, first, e->nargs,
				       (int32_t)id->number});
	return first;
}

static unsigned gen_literal(struct gen *g, const struct ast_expr *e)
{
	unsigned r = regs_alloc(&g->regs);

	gen_imm(g, OP_LS, r, 0, (int32_t)image_string(g->img, e->text));
	return r;
}

unsigned gen_expr(struct gen *g, const struct ast_expr *e)
{
	unsigned r;

	switch (e->kind) {
	case EXPR_INT:
		r = regs_alloc(&g->regs);
		gen_const(g, r, e->value);
		return r;
	case EXPR_STRING:
		return gen_literal(g, e);
	case EXPR_VAR:
	case EXPR_INDEX:
	case EXPR_MEMBER:
		return gen_load(g, e);
	case EXPR_CALL:
		if (type_resolve(e->type)->kind == TYPE_STACK)
			return gen_stack(g, e);
		return gen_call(g, e);
	case EXPR_XLATE:
		return gen_xlate(g, e);
	case EXPR_UNARY:
		if (e->op == AST_OP_PREINC || e->op == AST_OP_PREDEC)
			return gen_incdec(g, e);
		return gen_unary(g, e);
	case EXPR_POSTFIX:
		return gen_incdec(g, e);
	case EXPR_BINARY:
		return gen_binary(g, e);
	case EXPR_ASSIGN:
		return e->op == AST_OP_ASSIGN ? gen_plain_assign(g, e)
					      : gen_compound(g, e);
	case EXPR_COND:
		return gen_cond(g, e);
	case EXPR_COMMA:
		gen_expr(g, e->left);
		regs_free(&g->regs, 1);
		return gen_expr(g, e->right);
	case EXPR_CAST:
		return gen_converted(g, e->left, e->type);
	default:
		assert(false); /* the checker rejects all else */
		return 0;
	}
}
