/* SPDX-License-Identifier: MIT */
/*
 * Go's calling conventions (Go: src/cmd/compile/abi-internal.md). A value is taken apart
 * into numbers and pointers, each of which takes a register: integers and pointers one
 * kind, floating-point numbers the other. A value of which a part finds no register, or
 * that has an array of more than one element, is on the stack as a whole. With ABI0 all
 * values are.
 */
#include "symbols/types/abi.h"

#define DEPTH_MAX 32
#define PARTS_MAX 256 /* structs without members take no register */

struct registers {
	uint32_t integers, vectors;
};

/* A value that is taken apart. */
struct parts {
	struct module_types *mt;
	struct registers used; /* by it */
	uint32_t words;	       /* of the integers: those of 8 bytes */
	bool is_on_stack;
	unsigned depth, left; /* parts that may still be looked at */
};

static void take_apart(struct parts *p, uint64_t ref);

/* The type without its names and qualifiers: what it is, and its ref. */
static uint64_t get_plain(struct module_types *mt, uint64_t ref, struct target_type *t)
{
	module_types_get(mt, ref, t);
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		if (t->kind != TARGET_ALIAS && t->kind != TARGET_QUALIFIED)
			return ref;
		ref = t->base;
		module_types_get(mt, ref, t);
	}
	t->kind = TARGET_OPAQUE;
	return ref;
}

static void take_member(void *ctx, const struct target_member *m)
{
	struct parts *p = ctx;

	if (!p->is_on_stack)
		take_apart(p, m->type);
}

static void take_array(struct parts *p, const struct target_type *t)
{
	if (t->ndims != 1 || t->dims[0] > 1)
		p->is_on_stack = true;
	else if (t->dims[0] == 1)
		take_apart(p, t->base);
}

static void take_apart(struct parts *p, uint64_t ref)
{
	struct target_type t;

	if (p->left == 0 || p->depth >= DEPTH_MAX ||
	    p->used.integers > REGS_GO_INTEGERS || p->used.vectors > REGS_GO_VECTORS) {
		p->is_on_stack = true;
		return;
	}
	p->left--;
	p->depth++;
	ref = get_plain(p->mt, ref, &t);
	switch (t.kind) {
	case TARGET_INT:
	case TARGET_ENUM:
	case TARGET_POINTER:
	case TARGET_FUNCTION:
		p->used.integers++;
		p->words += t.kind == TARGET_POINTER || t.kind == TARGET_FUNCTION ||
			    t.size == 8;
		break;
	case TARGET_FLOAT:
		p->used.vectors++;
		break;
	case TARGET_COMPLEX:
		p->used.vectors += 2;
		break;
	case TARGET_STRUCT:
		module_types_members(p->mt, ref, take_member, p);
		break;
	case TARGET_ARRAY:
		take_array(p, &t);
		break;
	default:
		p->is_on_stack = true;
		break;
	}
	p->depth--;
}

struct sequence {
	struct module_types *mt;
	struct registers limit, used;
	uint64_t stack; /* bytes of it in use */
};

/* Its size, and whether it is one number or pointer: others have parts. */
static uint64_t size_of(struct module_types *mt, uint64_t ref, bool *is_one)
{
	struct target_type t;
	uint64_t size;

	get_plain(mt, ref, &t);
	*is_one = t.kind == TARGET_INT || t.kind == TARGET_ENUM ||
		  t.kind == TARGET_POINTER || t.kind == TARGET_FUNCTION;
	size = t.kind == TARGET_POINTER || t.kind == TARGET_FUNCTION ? 8 : t.size;
	for (uint32_t i = 0; t.kind == TARGET_ARRAY && i < t.ndims; i++)
		size = UINT32_MAX;
	return size;
}

/*
 * On the stack. Small values share a word, and the alignment of structs and arrays is
 * not known here: after one of them no place is.
 */
static enum target_passing place_on_stack(struct sequence *s, uint64_t ref,
					  uint32_t *arg)
{
	bool is_one;
	uint64_t size = size_of(s->mt, ref, &is_one);

	if (s->stack == UINT64_MAX || !is_one || size == 0 || size > 8) {
		s->stack = UINT64_MAX;
		return PASSED_STACK;
	}
	s->stack = align_up(s->stack, size);
	*arg = s->limit.integers + (uint32_t)(s->stack / 8);
	s->stack += size;
	return (s->stack - size) % 8 ? PASSED_STACK : PASSED_ARG;
}

/* A value of words alone, such as a string or a slice, is put together of registers. */
static void set_words(struct target_param *to, const struct parts *p)
{
	if (!p->used.vectors && p->words == p->used.integers &&
	    to->size == 8 * (uint64_t)p->words)
		to->npieces = (uint8_t)p->words;
}

static enum target_passing place(struct sequence *s, struct target_param *to)
{
	struct parts p = {.mt = s->mt, .left = PARTS_MAX};
	struct registers first = s->used;
	uint32_t n;
	bool is_one;

	take_apart(&p, to->type);
	if (p.is_on_stack || s->used.integers + p.used.integers > s->limit.integers ||
	    s->used.vectors + p.used.vectors > s->limit.vectors)
		return place_on_stack(s, to->type, &to->arg);
	s->used.integers += p.used.integers;
	s->used.vectors += p.used.vectors;
	n = p.used.integers + p.used.vectors;
	to->size = size_of(s->mt, to->type, &is_one);
	to->arg = first.integers;
	to->vector = first.vectors;
	if (n == 1 && is_one)
		return PASSED_ARG;
	if (n == 1 && p.used.vectors == 1)
		return PASSED_VECTOR;
	set_words(to, &p);
	return PASSED_PIECES;
}

static void place_param(struct sequence *s, enum regs_convention by,
			struct target_param *p)
{
	p->passing = PASSED_UNKNOWN;
	if (by != REGS_CONVENTION_UNKNOWN)
		p->passing = place(s, p);
}

void abi_classify_go(struct module_types *mt, enum regs_convention by,
		     struct target_function *f)
{
	struct sequence s = {.mt = mt};

	if (by == REGS_CONVENTION_GO)
		s.limit = (struct registers){REGS_GO_INTEGERS, REGS_GO_VECTORS};
	for (uint32_t i = 0; i < f->nparams; i++)
		place_param(&s, by, &f->params[i]);
	s.used = (struct registers){0};
	place_param(&s, by == REGS_CONVENTION_GO ? by : REGS_CONVENTION_UNKNOWN,
		    &f->result);
}
