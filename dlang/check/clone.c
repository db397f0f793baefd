/* SPDX-License-Identifier: MIT */
#include "dlang/check/clone.h"

#include <string.h>

#include "dlang/check/check.h"

static struct ast_expr *copy_node(struct clone *c, const struct ast_expr *e,
				  const struct ast_pos *pos)
{
	struct ast_expr *n;

	if (c->d->checker->expanded >= EXPANDED_MAX)
		c->is_too_big = true;
	if (c->is_too_big)
		return NULL;
	c->d->checker->expanded++;
	n = arena_alloc(&c->d->arena, sizeof(*n));
	*n = *e;
	n->next = n->left = n->right = n->third = n->args = NULL;
	if (pos)
		n->pos = *pos;
	return n;
}

static struct ast_expr *copy_tree(struct clone *c, const struct ast_expr *e,
				  const struct ast_pos *pos);

/* The copy has the checked type of the cast, so that it is not resolved again. */
static void copy_typename(struct clone *c, struct ast_expr *n,
			  const struct ast_pos *pos)
{
	struct ast_typename *t;

	if (!n->tname || !pos)
		return;
	t = arena_alloc(&c->d->arena, sizeof(*t));
	*t = *n->tname;
	t->pos = *pos;
	n->tname = t;
}

static void copy_list(struct clone *c, struct ast_expr *n, const struct ast_expr *list,
		      const struct ast_pos *pos)
{
	struct ast_expr **tail = &n->args;

	for (; list && !c->is_too_big; list = list->next) {
		*tail = copy_tree(c, list, pos);
		if (*tail)
			tail = &(*tail)->next;
	}
}

/* The argument of the parameter that e names; NULL: it names none. */
static const struct ast_expr *parameter(const struct clone *c, const struct ast_expr *e)
{
	if (e->kind != EXPR_VAR || e->scope != AST_GLOBAL || e->flags)
		return NULL;
	for (uint32_t i = 0; i < c->count; i++)
		if (c->names[i] && strcmp(c->names[i], e->text) == 0)
			return c->values[i];
	return NULL;
}

/* pos NULL: e is part of an argument: it keeps its position and has no parameters. */
static struct ast_expr *copy_tree(struct clone *c, const struct ast_expr *e,
				  const struct ast_pos *pos)
{
	const struct ast_expr *value = pos ? parameter(c, e) : NULL;
	struct ast_expr *n;

	if (value)
		return copy_tree(c, value, NULL);
	n = copy_node(c, e, pos);
	if (!n)
		return NULL;
	copy_typename(c, n, pos);
	if (e->left)
		n->left = copy_tree(c, e->left, pos);
	if (e->right)
		n->right = copy_tree(c, e->right, pos);
	if (e->third)
		n->third = copy_tree(c, e->third, pos);
	copy_list(c, n, e->args, pos);
	return n;
}

struct ast_expr *clone_expr(struct clone *c, const struct ast_expr *e)
{
	struct ast_expr *n = copy_tree(c, e, &c->pos);

	return c->is_too_big ? NULL : n;
}
