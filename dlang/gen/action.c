/* SPDX-License-Identifier: MIT */
/*
 * Code of actions: the values to record are pushed as a tuple, then OP_REC records it.
 */
#include "dlang/gen/internal.h"

#include "dlang/base/content.h"
#include "dlang/check/printf.h"

/* ---- records ---- */

/* An action under construction, whose values are being pushed. */
struct payload {
	uint32_t first;
	uint32_t text;
	uint32_t first_operand, noperands;
};

static struct payload begin_payload(struct gen *g)
{
	gen_op(g, OP_TUP, 0, 0, 0);
	return (struct payload){.first = (uint32_t)g->img->fields.len,
				.first_operand = (uint32_t)g->img->operands.len};
}

static void add_field(struct gen *g, const struct type *t, uint8_t kind)
{
	struct program_field f = image_field(g->img, types_of(g->d), t);

	f.kind = kind == KIND_STR ? KIND_STR : f.kind;
	*vec_push(&g->img->fields) = f;
}

static void push_value(struct gen *g, const struct ast_expr *e)
{
	unsigned r = gen_converted(g, e, e->type);

	gen_push(g, e->type, r);
	add_field(g, e->type, KIND_INT);
	regs_free(&g->regs, 1);
}

/* Pushes a string of any type as text, for %s. */
static void push_text(struct gen *g, const struct ast_expr *e)
{
	unsigned r = gen_string(g, e);

	gen_op(g, OP_TPS, r, 0, 0);
	add_field(g, e->type, KIND_STR);
	regs_free(&g->regs, 1);
}

static void end_payload(struct gen *g, const struct payload *p, enum action_kind kind)
{
	struct program_action a = {
		.kind = kind,
		.text = p->text,
		.first_field = p->first,
		.nfields = (uint32_t)g->img->fields.len - p->first,
		.first_operand = p->first_operand,
		.noperands = p->noperands,
	};

	*vec_push(&g->img->actions) = a;
	gen_imm(g, OP_REC, 0, 0, (int32_t)(g->img->actions.len - 1));
	g->records = true;
}

static void add_operand(struct gen *g, struct payload *p, const struct ast_expr *agg)
{
	*vec_push(&g->img->operands) = agg->ident->number;
	p->noperands++;
}

/* ---- actions ---- */

static void gen_trace(struct gen *g, const struct ast_expr *e)
{
	struct payload p = begin_payload(g);

	push_value(g, e->args);
	end_payload(g, &p, ACTION_trace);
}

void gen_location(struct gen *g, const struct ast_expr *e)
{
	struct payload p = begin_payload(g);

	push_value(g, e);
	end_payload(g, &p, ACTION_trace);
}

static unsigned load_word(struct gen *g, unsigned base, uint64_t offset)
{
	unsigned r = regs_alloc(&g->regs);

	gen_emit(g, (struct code_insn){OP_LD, r, base, 8, (int32_t)offset});
	return r;
}

/* Two registers: the address of the content and its bytes. owner: the value has it. */
static unsigned gen_extent(struct gen *g, unsigned owner,
			   const struct content_piece *piece)
{
	const struct content *c = &piece->content;
	unsigned begin = load_word(g, owner, piece->offset + c->begin), n;

	if (c->kind == CONTENT_POINTEE) {
		n = regs_alloc(&g->regs);
		gen_const(g, n, type_size(types_of(g->d), c->element));
		return begin;
	}
	n = load_word(g, owner, piece->offset + c->length);
	if (c->has_end)
		gen_op(g, OP_SUB, n, n, begin);
	else
		gen_scale(g, n, type_size(types_of(g->d), c->element));
	return begin;
}

/* Divides register r by the size of a value of the deque. */
static void gen_values(struct gen *g, unsigned r, uint64_t size)
{
	unsigned t = regs_alloc(&g->regs);

	gen_const(g, t, size);
	gen_op(g, OP_DIVU, r, r, t);
	regs_free(&g->regs, 1);
}

/* A register: the values between the beginning of its block and a position. */
static unsigned gen_in_block(struct gen *g, unsigned owner, uint64_t position,
			     uint64_t size)
{
	unsigned r = load_word(g, owner, position + CONTENT_DEQUE_CUR),
		 first = load_word(g, owner, position + CONTENT_DEQUE_FIRST);

	gen_op(g, OP_SUB, r, r, first);
	regs_free(&g->regs, 1);
	gen_values(g, r, size);
	return r;
}

/* Three registers: the first node, values of it to leave out, values that there are. */
static void gen_nodes(struct gen *g, unsigned owner, const struct content *c,
		      uint64_t at)
{
	uint64_t start = at + c->begin, finish = at + c->length;
	unsigned first, skip, n, last;

	if (c->kind == CONTENT_NODES) {
		load_word(g, owner, start);
		gen_const(g, regs_alloc(&g->regs), 0);
		if (c->shape.is_ended)
			gen_const(g, regs_alloc(&g->regs), UINT64_MAX);
		else
			load_word(g, owner, finish);
		return;
	}
	first = load_word(g, owner, start + CONTENT_DEQUE_NODE);
	skip = gen_in_block(g, owner, start, c->shape.size);
	n = load_word(g, owner, finish + CONTENT_DEQUE_NODE);
	gen_op(g, OP_SUB, n, n, first);
	gen_values(g, n, sizeof(uint64_t));
	gen_scale(g, n, c->shape.offset);
	last = gen_in_block(g, owner, finish, c->shape.size);
	gen_op(g, OP_ADD, n, n, last);
	gen_op(g, OP_SUB, n, n, skip);
	regs_free(&g->regs, 1);
}

static void gen_node_piece(struct gen *g, unsigned owner, unsigned to,
			   const struct content_piece *piece)
{
	const struct content *c = &piece->content;

	gen_nodes(g, owner, c, piece->offset);
	gen_const(g, regs_alloc(&g->regs), piece->cap / c->shape.size);
	gen_const(g, regs_alloc(&g->regs), nodes_shape_word(&c->shape));
	gen_emit(g, (struct code_insn){OP_CALL, to, to, 6, SUBR_print_nodes});
	regs_free(&g->regs, 5);
}

/* Reads the content of the value at register value to memory at register pieces. */
static void gen_piece(struct gen *g, unsigned value, unsigned pieces,
		      const struct content_plan *plan, uint32_t i)
{
	const struct content_piece *piece = &plan->pieces[i];
	struct content_piece shifted = *piece;
	unsigned to = regs_alloc(&g->regs);

	gen_imm(g, OP_ADDI, to, pieces, (int32_t)piece->at);
	if (piece->owner)
		shifted.offset += plan->pieces[piece->owner - 1].at;
	if (piece->content.kind == CONTENT_NODES ||
	    piece->content.kind == CONTENT_BLOCKS) {
		gen_node_piece(g, piece->owner ? pieces : value, to, &shifted);
		regs_free(&g->regs, 1);
		return;
	}
	gen_extent(g, piece->owner ? pieces : value, &shifted);
	gen_const(g, regs_alloc(&g->regs), piece->cap);
	gen_emit(g, (struct code_insn){OP_CALL, to, to, 4, SUBR_print_piece});
	regs_free(&g->regs, 4);
}

/* Pushes the value, and what it owns elsewhere, which is read now. */
static void push_with_content(struct gen *g, const struct ast_expr *e,
			      const struct content_plan *plan)
{
	const struct type *bytes =
		type_array(types_of(g->d), types_of(g->d)->t_char, plan->size);
	unsigned value = gen_converted(g, e, e->type), pieces = regs_alloc(&g->regs);

	gen_const(g, pieces, plan->size);
	gen_emit(g, (struct code_insn){OP_CALL, pieces, pieces, 1, SUBR_alloca});
	for (uint32_t i = 0; i < plan->n; i++)
		gen_piece(g, value, pieces, plan, i);
	g->contexts &= CONTEXT_KEEPER | CONTEXT_RESIDENT;
	gen_push(g, e->type, value);
	add_field(g, e->type, KIND_INT);
	gen_push(g, bytes, pieces);
	add_field(g, bytes, KIND_BYTES);
	regs_free(&g->regs, 2);
}

/* The consumer finds the type of the value by the number of the action. */
static void gen_print(struct gen *g, const struct ast_expr *e)
{
	struct content_plan *plan = arena_alloc(&g->d->arena, sizeof(*plan));
	struct payload p = begin_payload(g);

	plan->type = e->args->type;
	if (g->d->options.printstl)
		content_plan(types_of(g->d), plan->type, plan);
	if (plan->n)
		push_with_content(g, e->args, plan);
	else
		push_value(g, e->args);
	map_set(&g->img->printed, g->img->actions.len, (uintptr_t)plan);
	end_payload(g, &p, ACTION_print);
}

/* Pushes a value converted to the type that the consumer expects. */
static void push_as(struct gen *g, const struct ast_expr *e, const struct type *t)
{
	unsigned r = gen_converted(g, e, t);

	gen_push(g, t, r);
	add_field(g, t, KIND_INT);
	regs_free(&g->regs, 1);
}

static void gen_tracemem(struct gen *g, const struct ast_expr *e)
{
	const struct ast_expr *size = e->args->next;
	const struct type *bytes = type_array(types_of(g->d), types_of(g->d)->t_char,
					      (uint32_t)size->value);
	struct payload p = begin_payload(g);
	unsigned r = gen_expr(g, e->args);

	if (type_is_userland(e->args->type))
		gen_copyin(g, r, (uint32_t)size->value);
	gen_push(g, bytes, r);
	add_field(g, bytes, KIND_BYTES);
	regs_free(&g->regs, 1);
	if (size->next)
		push_as(g, size->next, types_of(g->d)->t_int64);
	end_payload(g, &p, ACTION_tracemem);
}

/* The number of a copy of the process, for dump(). */
static void push_copy(struct gen *g)
{
	unsigned r = regs_alloc(&g->regs);

	gen_emit(g, (struct code_insn){OP_CALL, r, r, 0, SUBR_process_copy});
	gen_push(g, types_of(g->d)->t_int64, r);
	add_field(g, types_of(g->d)->t_int64, KIND_INT);
	regs_free(&g->regs, 1);
}

/* printf(), system(), freopen() and dump() */
static void gen_printf(struct gen *g, const struct ast_expr *e)
{
	const struct printf_format *f = e->args->extra;
	const struct ast_expr *arg = e->args->next;
	struct payload p = begin_payload(g);

	p.text = image_string(g->img, e->args->text);
	for (const struct printf_conv *c = f->convs; c; c = c->next) {
		for (int stars = c->star_width + c->star_precision; stars > 0;
		     stars--) {
			push_value(g, arg);
			arg = arg->next;
		}
		if (printf_is_text(c) && type_resolve(arg->type)->kind != TYPE_ARRAY)
			push_text(g, arg);
		else if (printf_is_address(c) && !type_is_scalar(arg->type))
			push_as(g, arg, types_of(g->d)->t_ulong);
		else
			push_value(g, arg);
		arg = arg->next;
	}
	if (e->ident->number == ACTION_dump || e->ident->number == ACTION_gcore)
		push_copy(g);
	end_payload(g, &p, (enum action_kind)e->ident->number);
}

static void gen_setopt(struct gen *g, const struct ast_expr *e)
{
	struct payload p = begin_payload(g);

	for (const struct ast_expr *arg = e->args; arg; arg = arg->next)
		push_text(g, arg);
	end_payload(g, &p, ACTION_setopt);
}

static void gen_emit_event(struct gen *g, const struct ast_expr *e)
{
	struct payload p = begin_payload(g);

	p.text = image_string(g->img, e->args->text);
	for (const struct ast_expr *arg = e->args->next; arg; arg = arg->next)
		if (type_is_strcompat(arg->type))
			push_text(g, arg);
		else
			push_value(g, arg);
	end_payload(g, &p, ACTION_emit);
}

static void gen_printa(struct gen *g, const struct ast_expr *e)
{
	struct payload p = begin_payload(g);
	const struct ast_expr *arg = e->args;

	if (arg->kind == EXPR_STRING) {
		p.text = image_string(g->img, arg->text);
		arg = arg->next;
	}
	for (; arg; arg = arg->next)
		add_operand(g, &p, arg);
	end_payload(g, &p, ACTION_printa);
}

static void gen_exit(struct gen *g, const struct ast_expr *e)
{
	struct payload p = begin_payload(g);

	push_as(g, e->args, types_of(g->d)->t_int);
	end_payload(g, &p, ACTION_exit);
	gen_op(g, OP_STOP, 0, 0, 0);
}

/* Actions with an optional aggregation and number: clear(), trunc(), ftruncate() ... */
static void gen_agg_action(struct gen *g, const struct ast_expr *e)
{
	struct payload p = begin_payload(g);

	if (e->args)
		add_operand(g, &p, e->args);
	if (e->nargs > 1)
		push_as(g, e->args->next, types_of(g->d)->t_int64);
	end_payload(g, &p, (enum action_kind)e->ident->number);
}

void gen_action(struct gen *g, const struct ast_expr *e)
{
	g->contexts &= e->ident->contexts;
	if (e->ident->flags & ACT_DESTRUCTIVE)
		g->destructive = true;
	switch (e->ident->number) {
	case ACTION_trace:
		gen_trace(g, e);
		break;
	case ACTION_print:
		gen_print(g, e);
		break;
	case ACTION_tracemem:
		gen_tracemem(g, e);
		break;
	case ACTION_printf:
	case ACTION_system:
	case ACTION_freopen:
	case ACTION_dump:
	case ACTION_gcore:
		gen_printf(g, e);
		break;
	case ACTION_emit:
		gen_emit_event(g, e);
		break;
	case ACTION_setopt:
		gen_setopt(g, e);
		break;
	case ACTION_printa:
		gen_printa(g, e);
		break;
	case ACTION_exit:
		gen_exit(g, e);
		break;
	default:
		gen_agg_action(g, e);
	}
}
