/* SPDX-License-Identifier: MIT */
/*
 * Code of clauses: predicates, statements, if, aggregations.
 */
#include "dlang/gen/gen.h"

#include "dlang/base/diag.h"
#include "dlang/gen/internal.h"

/* ---- aggregations ---- */

/* A constant is not truncated to its type: (1 << 63) - 1. */
static void gen_agg_value(struct gen *g, const struct ast_expr *e)
{
	if (!e)
		gen_const(g, regs_alloc(&g->regs), 1);
	else
		gen_converted(g, e, types_of(g->d)->t_int64);
}

static void gen_aggregate(struct gen *g, const struct ast_expr *e)
{
	const struct ast_expr *call = e->right, *incr = call->args;
	const struct ident *agg = e->left->ident;
	unsigned keys = g->regs.used, value = keys + e->left->nargs;

	for (uint32_t skip = agg_increment_at(agg->func); incr && skip > 0; skip--)
		incr = incr->next;
	gen_keys(g, e->left->args, agg);
	gen_agg_value(g, call->args);
	gen_agg_value(g, incr);
	gen_tuple(g, agg->params, agg->nparams, keys);
	gen_imm(g, OP_AGGR, value, value + 1, (int32_t)agg->number);
	regs_free(&g->regs, e->left->nargs + 2);
}

/*
 * speculate() and commit() make a record without data. Without room in the speculation
 * the clause ends.
 */
static void gen_speculation(struct gen *g, const struct ast_expr *e)
{
	unsigned r = gen_expr(g, e);

	g->records |= e->ident->number != SUBR_discard;
	if (e->ident->number == SUBR_speculate)
		*vec_push(&g->ends) = gen_op(g, OP_JZ, r, 0, 0);
	regs_free(&g->regs, 1);
}

static bool is_speculation(const struct ast_expr *e)
{
	return e->kind == EXPR_CALL && e->ident->kind == IDENT_SUBR &&
	       (e->ident->number == SUBR_speculate || e->ident->number == SUBR_commit ||
		e->ident->number == SUBR_discard);
}

static bool is_pystack(const struct ast_expr *e)
{
	return e->ident->kind == IDENT_SUBR && e->ident->number == SUBR_pystack;
}

static void gen_statement(struct gen *g, const struct ast_expr *e)
{
	if (e->kind == EXPR_ASSIGN && e->left->kind == EXPR_AGG) {
		gen_aggregate(g, e);
	} else if (e->kind == EXPR_CALL && e->ident->kind == IDENT_ACTION) {
		gen_action(g, e);
	} else if (e->kind == EXPR_CALL &&
		   (type_is_location(e->type) || is_pystack(e))) {
		gen_location(g, e);
	} else if (is_speculation(e)) {
		gen_speculation(g, e);
	} else {
		gen_expr(g, e);
		regs_free(&g->regs, 1);
	}
}

/* ---- clauses ---- */

/* For messages about faults: the following code belongs to this statement. */
static void begin_statement(struct gen *g, uint32_t action)
{
	struct program_stmt s = {.first = (uint32_t)g->img->code.len, .action = action};

	*vec_push(&g->img->stmts) = s;
}

static void gen_body(struct gen *g, const struct ast_stmt *list);

static void gen_if(struct gen *g, const struct ast_stmt *s)
{
	unsigned r = gen_expr(g, s->expr);
	uint32_t to_else = gen_op(g, OP_JZ, r, 0, 0), to_end;

	regs_free(&g->regs, 1);
	gen_body(g, s->then);
	if (!s->otherwise) {
		code_patch_jump(g->img, to_else);
		return;
	}
	to_end = gen_op(g, OP_JMP, 0, 0, 0);
	code_patch_jump(g->img, to_else);
	gen_body(g, s->otherwise);
	code_patch_jump(g->img, to_end);
}

static void gen_body(struct gen *g, const struct ast_stmt *list)
{
	for (const struct ast_stmt *s = list; s; s = s->next) {
		begin_statement(g, ++g->actions);
		if (s->kind == STMT_IF)
			gen_if(g, s);
		else
			gen_statement(g, s->expr);
	}
}

static void gen_whole(struct gen *g, const struct ast_clause *c)
{
	if (c->predicate) {
		unsigned r;

		begin_statement(g, 0);
		r = gen_expr(g, c->predicate);
		*vec_push(&g->ends) = gen_op(g, OP_JZ, r, 0, 0);
		regs_free(&g->regs, 1);
	}
	gen_body(g, c->body);
	if (!c->body) {
		begin_statement(g, ++g->actions);
		gen_op(g, OP_RECE, 0, 0, 0);
		g->records = true;
	}
	for (size_t i = 0; i < g->ends.len; i++)
		code_patch_jump(g->img, g->ends.data[i]);
	gen_op(g, OP_END, 0, 0, 0);
}

/* The driver numbers the clauses; the number of one that failed stays unused. */
static void put_clause(struct gen *g, const struct ast_clause *c,
		       const struct program_clause *made)
{
	while (g->img->clauses.len <= c->index)
		*vec_push(&g->img->clauses) = *made;
}

int gen_clause(struct dlang *d, struct ast_clause *c)
{
	struct image *img = d->image;
	struct gen g = {.d = d, .img = img, .contexts = CONTEXT_ALL};
	struct program_clause made = {.first = (uint32_t)img->code.len,
				      .stmt = (uint32_t)img->stmts.len,
				      .line = c->pos.line};

	gen_whole(&g, c);
	vec_release(&g.ends);
	if (g.has_many_keys)
		return diag(d, NULL, NULL,
			    "Insufficient tuple registers to generate code");
	if (g.regs.overflow)
		return diag(d, &c->pos, "D_NOREG",
			    "insufficient registers to generate code: simplify the "
			    "expression");
	made.count = (uint32_t)img->code.len - made.first;
	made.nstmts = (uint32_t)img->stmts.len - made.stmt;
	made.contexts = g.contexts;
	made.flags = (g.records ? CLAUSE_RECORDS : 0u) |
		     (g.destructive ? CLAUSE_DESTRUCTIVE : 0u) |
		     (g.is_recorder ? CLAUSE_RECORDER : 0u);
	put_clause(&g, c, &made);
	return 0;
}
