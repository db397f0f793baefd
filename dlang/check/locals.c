/* SPDX-License-Identifier: MIT */
/*
 * locals.NAME: a local variable of the function that the probe is in. Where it is differs
 * from site to site. Each use becomes a tree of other expressions, so that the generator
 * needs no code for it. PLACE is the key of the site, which is the same wherever its file
 * is mapped:
 *
 *	locals.n	(int)(uregs[PLACE] == 0x1136 ? uregs[R_RBX] : local_gone())
 *	locals.p	*(userland struct s *)(uregs[PLACE] == 0x1136 ?
 *			uregs[R_RSP] + 16 : local_gone())
 */
#include "dlang/check/internal.h"

#include <string.h>

#include "dlang/typesrc.h"

#define PLACES_MAX 64 /* of one variable, in the code of one use */
#define WORD	   8  /* bytes */

struct use {
	struct dlang *d;
	const struct ast_expr *at;
	struct typesrc_local *local;
	bool is_everywhere;    /* its only place holds at all sites */
	bool is_result;	       /* where arg1 is a fault, so is this */
	uint64_t offset, size; /* the wanted part of the variable, in bytes */
};

static struct ast_expr *new_node(const struct use *u, enum ast_expr_kind kind,
				 const struct type *type)
{
	struct ast_expr *e = arena_alloc(&u->d->arena, sizeof(*e));

	e->kind = kind;
	e->pos = u->at->pos;
	e->depth = 1;
	e->type = type;
	e->flags = EX_CHECKED;
	return e;
}

static const struct type *word_type(const struct use *u)
{
	return type_find(types_of(u->d), "uint64_t");
}

static struct ast_expr *constant(const struct use *u, uint64_t n)
{
	struct ast_expr *e = new_node(u, EXPR_INT, word_type(u));

	e->value = n;
	return e;
}

/* uregs[n] or uvectors[n] */
static struct ast_expr *element(const struct use *u, const char *array, uint64_t n)
{
	struct ast_expr *e = new_node(u, EXPR_INDEX, word_type(u));

	e->left = new_node(u, EXPR_VAR, word_type(u));
	e->left->text = array;
	e->ident = scope_find(scope_of(u->d), AST_GLOBAL, array);
	e->args = constant(u, n);
	e->nargs = 1;
	e->flags |= EX_LVALUE;
	return e;
}

static struct ast_expr *call(const struct use *u, const char *subr,
			     struct ast_expr *args, uint32_t nargs)
{
	struct ast_expr *e = new_node(u, EXPR_CALL, word_type(u));

	e->ident = scope_find(scope_of(u->d), AST_GLOBAL, subr);
	e->left = new_node(u, EXPR_VAR, word_type(u));
	e->left->text = subr;
	e->args = args;
	e->nargs = nargs;
	return e;
}

/* (arg1, e) */
static struct ast_expr *after_result(const struct use *u, struct ast_expr *e)
{
	struct ast_expr *comma = new_node(u, EXPR_COMMA, e->type);

	comma->op = AST_OP_COMMA;
	comma->left = new_node(u, EXPR_VAR, word_type(u));
	comma->left->text = "arg1";
	comma->left->ident = scope_find(scope_of(u->d), AST_GLOBAL, "arg1");
	comma->left->flags |= EX_LVALUE;
	comma->right = e;
	return comma;
}

/* Reading it is a fault. */
static struct ast_expr *gone(const struct use *u)
{
	return call(u, "local_gone", NULL, 0);
}

static struct ast_expr *binary(const struct use *u, enum ast_op op, struct ast_expr *a,
			       struct ast_expr *b)
{
	struct ast_expr *e = new_node(u, EXPR_BINARY, NULL);

	e->op = op;
	e->left = a;
	e->right = b;
	e->flags = 0;
	check_expr(u->d, e);
	return e->kind == EXPR_ERROR ? gone(u) : expr_converted(u->d, e, word_type(u));
}

static struct ast_expr *unary(const struct use *u, enum ast_op op, struct ast_expr *a)
{
	struct ast_expr *e = new_node(u, EXPR_UNARY, NULL);

	e->op = op;
	e->left = a;
	e->flags = 0;
	check_expr(u->d, e);
	return e->kind == EXPR_ERROR ? gone(u) : expr_converted(u->d, e, word_type(u));
}

static const struct type *int_type(const struct use *u, uint64_t size, bool is_signed)
{
	static const char *const names[2][4] = {
		{"uint8_t", "uint16_t", "uint32_t", "uint64_t"},
		{"int8_t", "int16_t", "int32_t", "int64_t"},
	};

	return type_find(types_of(u->d), names[is_signed][size == 1   ? 0
							  : size == 2 ? 1
							  : size == 4 ? 2
								      : 3]);
}

/* *(pointer)address, of type t */
static struct ast_expr *deref(const struct use *u, struct ast_expr *address,
			      const struct type *t, uint32_t where)
{
	struct types *ts = types_of(u->d);
	const struct type *pointer = type_pointer(ts, t);
	struct ast_expr *e = new_node(u, EXPR_UNARY, NULL);

	e->op = AST_OP_DEREF;
	e->left = new_node(u, EXPR_CAST, where ? type_userland(ts, pointer) : pointer);
	e->left->left = address;
	set_lvalue(u->d, e, t, EX_LVALUE | where);
	return e;
}

static struct ast_expr *load(const struct use *u, struct ast_expr *address,
			     uint64_t size)
{
	return expr_converted(u->d,
			      deref(u, address, int_type(u, size, false), EX_USER),
			      word_type(u));
}

static bool is_loadable(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* condition ? then : otherwise */
static struct ast_expr *choose(const struct use *u, struct ast_expr *condition,
			       struct ast_expr *then, struct ast_expr *otherwise)
{
	struct ast_expr *e = new_node(u, EXPR_COND, word_type(u));

	e->left = condition;
	e->right = then;
	e->third = otherwise;
	return e;
}

/* ---- the expression of one place ---- */

static struct ast_expr *word(const struct use *u, const struct where *w, uint16_t n);

static struct ast_expr *as_signed(const struct use *u, struct ast_expr *e)
{
	return expr_converted(u->d, e, int_type(u, WORD, true));
}

static struct ast_expr *operation(const struct use *u, const struct where *w,
				  const struct where_node *node)
{
	static const struct {
		enum ast_op op;
		bool is_signed;
	} all[] = {
		[WHERE_ADD] = {AST_OP_ADD, false}, [WHERE_SUB] = {AST_OP_SUB, false},
		[WHERE_MUL] = {AST_OP_MUL, false}, [WHERE_DIV] = {AST_OP_DIV, true},
		[WHERE_MOD] = {AST_OP_MOD, false}, [WHERE_AND] = {AST_OP_BAND, false},
		[WHERE_OR] = {AST_OP_BOR, false},  [WHERE_XOR] = {AST_OP_BXOR, false},
		[WHERE_SHL] = {AST_OP_SHL, false}, [WHERE_SHR] = {AST_OP_SHR, false},
		[WHERE_SHRA] = {AST_OP_SHR, true}, [WHERE_EQ] = {AST_OP_EQ, true},
		[WHERE_NE] = {AST_OP_NE, true},	   [WHERE_LT] = {AST_OP_LT, true},
		[WHERE_LE] = {AST_OP_LE, true},	   [WHERE_GT] = {AST_OP_GT, true},
		[WHERE_GE] = {AST_OP_GE, true},
	};
	struct ast_expr *a = word(u, w, node->a), *b = word(u, w, node->b);

	if (all[node->op].is_signed) {
		a = as_signed(u, a);
		b = as_signed(u, b);
	}
	return binary(u, all[node->op].op, a, b);
}

static struct ast_expr *word(const struct use *u, const struct where *w, uint16_t n)
{
	const struct where_node *node = &w->nodes[n];
	const struct type *t;

	switch (node->op) {
	case WHERE_CONST:
		return constant(u, node->n);
	case WHERE_ADDRESS:
		return binary(u, AST_OP_ADD,
			      binary(u, AST_OP_SUB, element(u, "uregs", u->local->pc),
				     element(u, "uregs", u->local->place)),
			      constant(u, node->n));
	case WHERE_NONE:
		return gone(u);
	case WHERE_IF:
		return choose(u, word(u, w, node->a), word(u, w, node->b),
			      word(u, w, (uint16_t)node->n));
	case WHERE_REGISTER:
		return element(u, "uregs", node->n);
	case WHERE_LOAD:
		return load(u, word(u, w, node->a), node->n);
	case WHERE_EXTEND:
		t = int_type(u, node->n, node->is_signed);
		return expr_converted(u->d,
				      expr_converted(u->d, word(u, w, node->a), t),
				      word_type(u));
	case WHERE_NEG:
		return unary(u, AST_OP_NEG, word(u, w, node->a));
	case WHERE_NOT:
		return unary(u, AST_OP_BNOT, word(u, w, node->a));
	default:
		return operation(u, w, node);
	}
}

static uint64_t mask_of(uint64_t size)
{
	return size >= WORD ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

/* The bytes from offset on of a piece, as a number. */
static struct ast_expr *piece_bytes(const struct use *u, const struct where *w,
				    const struct where_piece *p, uint64_t offset,
				    uint64_t size)
{
	struct ast_expr *e;

	if (p->kind == WHERE_GONE ||
	    (p->kind == WHERE_MEMORY ? !is_loadable(size) : offset >= WORD))
		return gone(u);
	if (p->kind == WHERE_VECTOR)
		e = element(u, "uvectors", p->node);
	else
		e = word(u, w, p->node);
	if (p->kind == WHERE_MEMORY)
		return load(u,
			    offset ? binary(u, AST_OP_ADD, e, constant(u, offset)) : e,
			    size);
	if (offset)
		e = binary(u, AST_OP_SHR, e, constant(u, 8 * offset));
	return size >= WORD ? e : binary(u, AST_OP_BAND, e, constant(u, mask_of(size)));
}

/* Whether the bytes from lo to hi are between the members of the variable. */
static bool is_padding(const struct use *u, uint64_t lo, uint64_t hi)
{
	const struct type *t = type_resolve(u->local->type);

	if (t->kind != TYPE_STRUCT)
		return false;
	for (const struct type_member *m = t->members; m; m = m->next)
		if (m->offset < hi &&
		    lo < m->offset + type_size(types_of(u->d), m->type))
			return false;
	return true;
}

/* size bytes of the variable, 8 at most, from offset on, of all pieces. */
static struct ast_expr *bytes_at(const struct use *u, const struct where *w,
				 uint64_t offset, uint64_t size)
{
	struct ast_expr *all = NULL;
	uint64_t begin = 0, end = 0;

	if (w->npieces == 1 && !w->pieces[0].size)
		return piece_bytes(u, w, w->pieces, offset, size);
	for (uint32_t i = 0; i < w->npieces; begin += w->pieces[i++].size) {
		const struct where_piece *p = &w->pieces[i];
		uint64_t lo = max_u64(begin, offset);
		uint64_t hi = min_u64(begin + p->size, offset + size);
		struct ast_expr *e;

		if (lo >= hi || (p->kind == WHERE_GONE && is_padding(u, lo, hi)))
			continue;
		e = piece_bytes(u, w, p, lo - begin, hi - lo);
		if (lo > offset)
			e = binary(u, AST_OP_SHL, e, constant(u, 8 * (lo - offset)));
		all = all ? binary(u, AST_OP_BOR, all, e) : e;
	}
	for (uint32_t i = 0; i < w->npieces; i++)
		end += w->pieces[i].size;
	if (end < offset + size && !is_padding(u, max_u64(end, offset), offset + size))
		return gone(u);
	return all ? all : gone(u);
}

/* ---- all places ---- */

/* What is wanted of the variable at one place. */
enum want {
	WANT_ADDRESS, /* of the part */
	WANT_FIRST,   /* its first 8 bytes, or all of fewer */
	WANT_SECOND,  /* the next 8 */
};

static struct ast_expr *at_place(const struct use *u, const struct where *w,
				 enum want want)
{
	uint64_t skip = want == WANT_SECOND ? WORD : 0;

	if (want == WANT_ADDRESS)
		return binary(u, AST_OP_ADD, word(u, w, w->pieces[0].node),
			      constant(u, u->offset));
	return bytes_at(u, w, u->offset + skip, min_u64(u->size - skip, WORD));
}

/* By halves, so that few comparisons find the place. */
static struct ast_expr *select_place(const struct use *u, size_t from, size_t n,
				     enum want want)
{
	const struct typesrc_place *p = &u->local->places[from];
	struct ast_expr *key = element(u, "uregs", u->local->place);
	struct ast_expr *e;

	if (n > 1)
		return choose(u, binary(u, AST_OP_LT, key, constant(u, p[n / 2].first)),
			      select_place(u, from, n / 2, want),
			      select_place(u, from + n / 2, n - n / 2, want));
	e = at_place(u, p->where, want);
	if (p->first == p->last)
		return choose(u, binary(u, AST_OP_EQ, key, constant(u, p->first)), e,
			      gone(u));
	e = choose(u, binary(u, AST_OP_LE, key, constant(u, p->last)), e, gone(u));
	return choose(u,
		      binary(u, AST_OP_GE, element(u, "uregs", u->local->place),
			     constant(u, p->first)),
		      e, gone(u));
}

static struct ast_expr *value(const struct use *u, enum want want)
{
	struct ast_expr *e;

	if (!u->is_everywhere)
		return select_place(u, 0, u->local->nplaces, want);
	e = at_place(u, u->local->places[0].where, want);
	return u->is_result ? after_result(u, e) : e;
}

static bool is_all_memory(const struct use *u)
{
	for (size_t i = 0; i < u->local->nplaces; i++) {
		const struct where *w = u->local->places[i].where;

		if (w->npieces != 1 || w->pieces[0].kind != WHERE_MEMORY)
			return false;
	}
	return true;
}

static int in_pieces(const struct use *u, const char *name)
{
	return diag(u->d, &u->at->pos, "D_LOCALS_GONE",
		    "failed to resolve %s: it is in registers, in pieces: name "
		    "one of its members, or another place",
		    name);
}

/* Makes e the part of the variable, which has type t. */
static int make_part(const struct use *u, struct ast_expr *e, const struct type *t,
		     const char *name)
{
	struct ast_expr *bytes, *copy;

	if (is_all_memory(u)) {
		copy = deref(u, value(u, WANT_ADDRESS), t, EX_USER);
	} else if (type_is_scalar(t)) {
		copy = new_node(u, EXPR_CAST, t);
		copy->left = value(u, WANT_FIRST);
	} else if (u->size && u->size <= 2 * WORD) {
		bytes = value(u, WANT_FIRST);
		if (u->size > WORD)
			bytes->next = value(u, WANT_SECOND);
		copy = deref(u, call(u, "args_spill", bytes, u->size > WORD ? 2 : 1), t,
			     0);
	} else {
		return in_pieces(u, name);
	}
	copy->next = e->next;
	copy->is_paren = e->is_paren;
	*e = *copy;
	return 0;
}

/* ---- uses ---- */

bool is_local(struct dlang *d, const struct ast_expr *e)
{
	return e->kind == EXPR_MEMBER && e->op == AST_OP_DOT && e->left &&
	       e->left->kind == EXPR_VAR && e->left->scope == AST_GLOBAL &&
	       strcmp(e->left->text, "locals") == 0 &&
	       !scope_find(scope_of(d), AST_GLOBAL, "locals");
}

static int get_local(struct dlang *d, const struct ast_expr *e,
		     struct typesrc_local *out)
{
	const struct typesrc *src = d->env.types;
	struct err err = {0};

	if (!d->checker->in_clause || !src || !src->local)
		return diag(d, &e->pos, "D_LOCALS_NONE",
			    "locals may not be referenced outside of a probe clause");
	if (src->local(src->ctx, types_of(d), e->text, out, &err)) {
		diag_err(d, &e->pos, &err);
		return STATUS_SYNTAX;
	}
	if (out->nplaces > PLACES_MAX)
		return diag(
			d, &e->pos, "D_LOCALS_MULTI",
			"failed to resolve locals.%s: it has %zu places: narrow the "
			"probe description",
			e->text, out->nplaces);
	return 0;
}

static const char *shown_name(struct dlang *d, const struct ast_expr *e)
{
	return arena_printf(&d->arena, "locals.%s", e->text);
}

int check_local(struct dlang *d, struct ast_expr *e)
{
	struct typesrc_local local = {0};
	struct use u = {.d = d, .at = e, .local = &local};
	const struct type *t;
	int rc = get_local(d, e, &local);

	if (rc)
		return rc;
	t = local.type;
	if (type_is_struct_or_union(t))
		type_complete(types_of(d), t);
	u.size = type_size(types_of(d), t);
	return make_part(&u, e, t, shown_name(d, e));
}

/* Whether bytes of the value are nowhere, which are no padding. */
static bool has_gap(const struct use *u, const struct where *w)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < w->npieces; at += w->pieces[i++].size)
		if (w->pieces[i].kind == WHERE_GONE && at < u->offset + u->size &&
		    u->offset < at + w->pieces[i].size &&
		    !is_padding(u, at, at + w->pieces[i].size))
			return true;
	return at && at < u->offset + u->size &&
	       !is_padding(u, max_u64(at, u->offset), u->offset + u->size);
}

static int make_argument(struct use *u, struct ast_expr *e, const struct type *t,
			 uint64_t n)
{
	const struct where *w = u->local->places[0].where;
	const char *name =
		arena_printf(&u->d->arena, "args[%llu]", (unsigned long long)n);

	u->size = type_size(types_of(u->d), t);
	if (has_gap(u, w))
		return diag(u->d, &e->pos, "D_ARGS_TYPE",
			    "failed to resolve %s: a part of it is not there: %s", name,
			    w->why ? w->why : "it was optimized away");
	return make_part(u, e, t, name);
}

/* The argument as a variable that has one place. */
struct placed_argument {
	struct typesrc_place place;
	struct typesrc_local local;
	struct use use;
};

static void placed_argument_init(struct placed_argument *p, struct dlang *d,
				 struct ast_expr *e, const struct typesrc_argument *a)
{
	p->place = (struct typesrc_place){.where = a->where};
	p->local = (struct typesrc_local){
		.type = a->type, .places = &p->place, .nplaces = 1};
	p->use = (struct use){.d = d,
			      .at = e,
			      .local = &p->local,
			      .is_everywhere = true,
			      .is_result = a->is_result};
}

int check_where(struct dlang *d, struct ast_expr *e, const struct typesrc_argument *a)
{
	struct placed_argument p;

	placed_argument_init(&p, d, e, a);
	if (type_is_struct_or_union(a->type))
		type_complete(types_of(d), a->type);
	return make_argument(&p.use, e, a->type, e->args->value);
}

int check_where_member(struct dlang *d, struct ast_expr *e,
		       const struct typesrc_argument *a)
{
	struct placed_argument p;
	struct type_member m;

	if (!type_is_struct_or_union(a->type) || !type_complete(types_of(d), a->type) ||
	    !type_member(types_of(d), a->type, e->text, &m) || m.nbits)
		return 0;
	placed_argument_init(&p, d, e, a);
	p.use.offset = m.offset;
	return make_argument(&p.use, e, m.type, e->left->args->value);
}

/* A member of a variable in pieces may be there although others are not. */
int check_local_member(struct dlang *d, struct ast_expr *e)
{
	struct typesrc_local local = {0};
	struct use u = {.d = d, .at = e, .local = &local};
	struct type_member m;
	int rc = get_local(d, e->left, &local);

	if (rc)
		return rc;
	if (is_all_memory(&u) || !type_is_struct_or_union(local.type) ||
	    !type_complete(types_of(d), local.type) ||
	    !type_member(types_of(d), local.type, e->text, &m) || m.nbits)
		return check_local(d, e->left);
	u.offset = m.offset;
	u.size = type_size(types_of(d), m.type);
	return make_part(&u, e, m.type, shown_name(d, e->left));
}
