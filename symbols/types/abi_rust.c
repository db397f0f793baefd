/* SPDX-License-Identifier: MIT */
/*
 * What is certain of how rustc passes values: it promises nothing, and the attributes of
 * a type that matter are not in the debug data. Numbers and pointers take one register,
 * two words of 8 bytes (&str, slices, Box<dyn T>) one each, structs of integers up to 8
 * bytes one; what is larger than 16 bytes is passed by address. After a value of another
 * kind no place is known. "extern C" functions pass all of these in the same way except
 * large values, and there the debug data shows which it is (passed.c).
 */
#include "symbols/types/abi.h"

#include <string.h>

#include "symbols/types/internal.h"

#define INTEGERS  6
#define VECTORS	  8
#define DEPTH_MAX 32
#define PARTS_MAX 1000

struct leaves {
	struct module_types *mt;
	uint32_t integers, words, floats; /* words: integers of 8 bytes */
	bool is_other;			  /* a part whose effect is not known */
	unsigned depth, left;
};

static void take_leaf(struct leaves *l, uint64_t ref);

static void take_member(void *ctx, const struct target_member *m)
{
	take_leaf(ctx, m->type);
}

static uint64_t plain_type(struct module_types *mt, uint64_t ref, struct target_type *t)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		ref = module_types_definition(mt, ref);
		module_types_get(mt, ref, t);
		if (t->kind != TARGET_ALIAS && t->kind != TARGET_QUALIFIED)
			return ref;
		ref = t->base;
	}
	t->kind = TARGET_OPAQUE;
	return ref;
}

static void take_leaf(struct leaves *l, uint64_t ref)
{
	struct target_type t;

	if (!l->left || l->depth == DEPTH_MAX) {
		l->is_other = true;
		return;
	}
	l->left--;
	ref = plain_type(l->mt, ref, &t);
	switch (t.kind) {
	case TARGET_INT:
	case TARGET_ENUM:
	case TARGET_POINTER:
	case TARGET_FUNCTION:
		l->integers++;
		l->words += t.kind == TARGET_POINTER || t.size == 8;
		break;
	case TARGET_FLOAT:
		l->floats++;
		break;
	case TARGET_STRUCT:
		l->is_other |= t.has_variants;
		l->depth++;
		module_types_members(l->mt, ref, take_member, l);
		l->depth--;
		break;
	default:
		l->is_other |= t.kind != TARGET_VOID && (t.size || t.ndims);
		break;
	}
}

struct places {
	struct module_types *mt;
	uint32_t integers, vectors, words; /* registers and words of the stack in use */
	bool is_unknown;		   /* from here on */
};

static void place_integers(struct places *s, struct target_param *p, uint32_t n)
{
	if (n > 1 && s->integers + n > INTEGERS) {
		/* of two parts one may still be in a register */
		s->is_unknown = true;
		return;
	}
	p->npieces = (uint8_t)n;
	if (s->integers < INTEGERS) {
		p->arg = s->integers;
		s->integers += n;
	} else {
		p->arg = INTEGERS + s->words++;
	}
}

static void place_struct(struct places *s, struct target_param *p)
{
	struct leaves l = {.mt = s->mt, .left = PARTS_MAX};

	take_leaf(&l, p->type);
	p->passing = PASSED_PIECES;
	if (p->size == 0)
		p->passing = PASSED_NOT;
	else if (l.is_other || l.floats)
		s->is_unknown = true;
	else if (l.integers == 1 || (p->size <= 8 && l.integers > 2))
		place_integers(s, p, 1);
	else if (p->size == 16 && l.integers == 2 && l.words == 2)
		place_integers(s, p, 2);
	else
		s->is_unknown = true;
}

static void place_value(struct places *s, struct target_param *p, bool is_address)
{
	struct target_type t;

	plain_type(s->mt, p->type, &t);
	p->size = t.kind == TARGET_POINTER ? 8 : t.size;
	p->passing = is_address ? PASSED_ADDRESS : PASSED_ARG;
	if (is_address)
		place_integers(s, p, 1);
	else if (t.kind == TARGET_STRUCT && t.size <= 16)
		place_struct(s, p);
	else if (t.kind == TARGET_FLOAT && t.size <= 8 && s->vectors < VECTORS) {
		p->passing = PASSED_VECTOR;
		p->vector = s->vectors++;
	} else if (t.kind == TARGET_INT || t.kind == TARGET_ENUM ||
		   t.kind == TARGET_POINTER || t.kind == TARGET_FUNCTION)
		place_integers(s, p, 1);
	else if (t.kind == TARGET_VOID)
		p->passing = PASSED_NOT;
	else
		s->is_unknown = true;
	if (s->is_unknown)
		p->passing = PASSED_UNKNOWN;
}

static bool is_large(struct module_types *mt, uint64_t type)
{
	struct leaves l = {.mt = mt, .left = PARTS_MAX};
	struct target_type t;

	plain_type(mt, type, &t);
	take_leaf(&l, type);
	/* numbers of 16 bytes are in registers, also two of them */
	return t.kind == TARGET_STRUCT && t.size > 16 &&
	       (t.size > 32 || l.integers + l.floats > 2 || t.has_variants);
}

void abi_classify_rust(struct module_types *mt, struct target_function *f)
{
	struct places s = {.mt = mt};
	bool is_hidden = is_large(mt, f->result.type);

	place_value(&s, &f->result, is_hidden);
	s.integers = is_hidden; /* the address of the result, a hidden parameter */
	s.vectors = s.words = 0;
	s.is_unknown &= f->result.size > 8;
	for (uint32_t i = 0; i < f->nparams; i++)
		place_value(&s, &f->params[i], f->params[i].passing == PASSED_ADDRESS);
}
