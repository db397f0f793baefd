/* SPDX-License-Identifier: MIT */
/*
 * System V ABI, AMD64 supplement, 3.2.3. Integers and pointers take the six integer
 * registers in order, floating-point values the eight vector registers. A struct of at
 * most 16 bytes takes one register for each half, of the class of its members. Larger
 * structs, and values that find no free register, are passed on the stack.
 */
#include "symbols/types/abi.h"
#include "vm/base/regs.h"

#include <string.h>

#define INTEGERS  6
#define VECTORS	  8
#define DEPTH_MAX 32

enum value_class {
	CLASS_NONE,
	CLASS_VECTOR,
	CLASS_INTEGER, /* wins over CLASS_VECTOR in one half */
	CLASS_MEMORY,
};

struct value {
	enum value_class half[2];
	uint64_t size;
	bool is_struct, is_by_reference;
};

struct classing {
	struct module_types *mt;
	struct value *value;
	uint64_t offset;
	unsigned depth;
};

static void classify(struct classing *c, uint64_t ref);

static void merge(struct classing *c, uint64_t size, enum value_class class)
{
	struct value *v = c->value;

	if (class == CLASS_MEMORY || c->offset + size > 16 ||
	    (size <= 16 && size && c->offset % (size > 8 ? 8 : size))) {
		v->half[0] = CLASS_MEMORY;
		return;
	}
	for (uint64_t at = c->offset; at < c->offset + size; at += 8) {
		enum value_class *half = &v->half[at / 8];

		*half = class > *half ? class : *half;
	}
}

static void classify_member(void *ctx, const struct target_member *m)
{
	struct classing *outer = ctx, c = *outer;

	if (outer->value->half[0] == CLASS_MEMORY)
		return;
	if (m->nbits) {
		c.offset += m->bit / 8;
		merge(&c, 1, CLASS_INTEGER);
		c.offset += (m->bit % 8 + m->nbits - 1) / 8;
		merge(&c, 1, CLASS_INTEGER);
		return;
	}
	c.offset += m->offset;
	c.depth++;
	classify(&c, m->type);
}

/* An array inside a struct of at most 16 bytes. */
static void classify_array(struct classing *c, const struct target_type *t)
{
	struct target_type element;
	struct value one = {.size = 16};
	struct classing inside = {c->mt, &one, 0, c->depth + 1};
	uint64_t count = 1;

	classify(&inside, t->base);
	module_types_get(c->mt, t->base, &element);
	for (uint32_t i = 0; i < t->ndims; i++)
		count = min_u64(count * t->dims[i], 16);
	for (uint64_t i = 0; i < count && c->offset < 16; i++) {
		merge(c, min_u64(one.size, 16), one.half[0]);
		c->offset += one.size ? one.size : 1;
	}
}

/* Debug data distinguishes __float128 from long double only by its name. */
static bool is_quad(const struct target_type *t)
{
	return t->size == 16 && t->name && strstr(t->name, "128");
}

static void classify_scalar(struct classing *c, const struct target_type *t)
{
	switch (t->kind) {
	case TARGET_FLOAT:
		if (is_quad(t)) /* one register, all 16 bytes of it */
			merge(c, 8, CLASS_VECTOR);
		else
			merge(c, t->size, t->size == 16 ? CLASS_MEMORY : CLASS_VECTOR);
		break;
	case TARGET_COMPLEX: /* two floats share a register, two doubles take two */
		if (t->size > 16)
			c->value->half[0] = CLASS_MEMORY;
		else
			for (uint64_t i = 0; i < 2; i++, c->offset += t->size / 2)
				merge(c, t->size / 2, CLASS_VECTOR);
		break;
	case TARGET_POINTER:
	case TARGET_FUNCTION:
		c->value->size = 8;
		merge(c, 8, CLASS_INTEGER);
		break;
	case TARGET_VOID:
		break;
	default:
		merge(c, t->size, CLASS_INTEGER);
		break;
	}
}

/* __m128 and similar: one register whatever the size. */
static void classify_vector(struct classing *c, const struct target_type *t)
{
	struct target_type element;
	uint64_t size;

	module_types_get(c->mt, t->base, &element);
	size = element.size;
	for (uint32_t i = 0; i < t->ndims; i++)
		size = min_u64(size * t->dims[i], UINT32_MAX);
	if (c->depth == 0)
		c->value->size = size;
	if (size < 8 || (c->depth && size > 16))
		c->value->half[0] = CLASS_MEMORY;
	else
		merge(c, 8, CLASS_VECTOR);
}

static void classify(struct classing *c, uint64_t ref)
{
	struct target_type t;

	for (unsigned i = 0;; i++) {
		module_types_get(c->mt, ref, &t);
		if ((t.kind != TARGET_ALIAS && t.kind != TARGET_QUALIFIED) ||
		    i > DEPTH_MAX)
			break;
		ref = t.base;
	}
	if (t.kind == TARGET_STRUCT || t.kind == TARGET_UNION) {
		ref = module_types_same(c->mt, ref);
		module_types_get(c->mt, ref, &t);
	}
	if (c->depth == 0) {
		c->value->size = t.size;
		c->value->is_by_reference = module_types_is_by_reference(c->mt, ref);
		c->value->is_struct = t.kind == TARGET_STRUCT ||
				      t.kind == TARGET_UNION ||
				      t.kind == TARGET_COMPLEX;
	}
	if (t.kind == TARGET_ARRAY && t.is_vector)
		classify_vector(c, &t);
	else if (t.size > 16 || c->depth > DEPTH_MAX)
		c->value->half[0] = CLASS_MEMORY;
	else if (t.kind == TARGET_STRUCT || t.kind == TARGET_UNION)
		module_types_members(c->mt, ref, classify_member, c);
	else if (t.kind == TARGET_ARRAY)
		classify_array(c, &t);
	else
		classify_scalar(c, &t);
}

static struct value value_of(struct module_types *mt, uint64_t type)
{
	struct value v = {{CLASS_NONE, CLASS_NONE}, 0, false, false};
	struct classing c = {mt, &v, 0, 0};

	classify(&c, type);
	return v;
}

/* Registers and words of stack that are used so far. */
struct used {
	uint32_t integers, vectors, words;
};

static uint32_t count(const struct value *v, enum value_class class)
{
	return (v->half[0] == class) + (uint32_t)(v->half[1] == class);
}

static void place_on_stack(struct used *u, const struct value *v,
			   struct target_param *p)
{
	/* long double and similar are aligned to their size */
	uint64_t words = v->is_struct ? 1 : max_u64(v->size / 8, 1);

	u->words = (uint32_t)align_up(u->words, words);
	p->arg = INTEGERS + u->words;
	if (v->is_struct)
		p->passing = PASSED_STACK;
	else
		p->passing = v->size > 8 ? PASSED_WIDE : PASSED_ARG;
	u->words += (uint32_t)((v->size + 7) / 8);
}

/* How a value for which there are enough registers is passed. */
static enum target_passing passing_of(const struct value *v)
{
	uint32_t integers = count(v, CLASS_INTEGER), vectors = count(v, CLASS_VECTOR);

	if (v->is_struct || integers + vectors > 1)
		return PASSED_PIECES;
	if (vectors || v->half[0] == CLASS_MEMORY)
		return v->size > 8 ? PASSED_WIDE : PASSED_VECTOR;
	return PASSED_ARG;
}

static void place(struct used *u, struct value *v, struct target_param *p)
{
	uint32_t integers, vectors;

	if (v->is_by_reference)
		*v = (struct value){.half = {CLASS_INTEGER}, .size = 8};
	integers = count(v, CLASS_INTEGER);
	vectors = count(v, CLASS_VECTOR);
	if (v->half[0] == CLASS_MEMORY || u->integers + integers > INTEGERS ||
	    u->vectors + vectors > VECTORS) {
		place_on_stack(u, v, p);
		return;
	}
	p->passing = passing_of(v);
	p->words = vectors ? 0 : integers;
	p->arg = p->passing == PASSED_VECTOR ? u->vectors : u->integers;
	u->integers += integers;
	u->vectors += vectors;
}

void abi_classify(struct module_types *mt, struct target_function *f)
{
	struct value v = value_of(mt, f->result);
	struct used used = {0};

	f->result_passing = passing_of(&v);
	if (v.is_by_reference || (v.is_struct && v.half[0] == CLASS_MEMORY)) {
		f->result_passing = PASSED_ADDRESS;
		used.integers = 1; /* the address of the result, a hidden parameter */
	}
	for (uint32_t i = 0; i < f->nparams; i++) {
		struct target_param *p = &f->params[i];
		bool is_by_reference;

		v = value_of(mt, p->type);
		is_by_reference = v.is_by_reference;
		place(&used, &v, p);
		if (is_by_reference && p->passing == PASSED_ARG)
			p->passing = PASSED_ADDRESS;
	}
}

/* ---- at the first instruction ---- */

static uint16_t add_node(struct where *w, struct where_node node)
{
	w->nodes[w->nnodes] = node;
	return (uint16_t)w->nnodes++;
}

static uint16_t add_register(struct where *w, uint32_t reg)
{
	return add_node(w, (struct where_node){.op = WHERE_REGISTER,
					       .n = regs_ureg_of_dwarf(reg)});
}

/* Above the return address. */
static uint16_t add_stack_word(struct where *w, uint32_t arg)
{
	uint16_t sp = add_register(w, REGS_DWARF_SP);
	uint16_t n = add_node(
		w, (struct where_node){.op = WHERE_CONST,
				       .n = 8 + UINT64_C(8) * (arg - INTEGERS)});

	return add_node(w, (struct where_node){.op = WHERE_ADD, .a = sp, .b = n});
}

static void add_piece(struct where *w, enum where_kind kind, uint16_t node)
{
	w->pieces[w->npieces++] = (struct where_piece){kind, node, 8};
}

/* A value, or its address, in argument number arg. */
static void place_argument(struct where *w, uint32_t arg, bool is_address)
{
	static const uint8_t order[INTEGERS] = {
		REGS_DWARF_RDI, REGS_DWARF_RSI, REGS_DWARF_RDX, REGS_DWARF_RCX, 8, 9};
	uint16_t node;

	if (arg < INTEGERS) {
		add_piece(w, is_address ? WHERE_MEMORY : WHERE_VALUE,
			  add_register(w, order[arg]));
		return;
	}
	node = add_stack_word(w, arg);
	if (is_address)
		node = add_node(
			w, (struct where_node){.op = WHERE_LOAD, .a = node, .n = 8});
	add_piece(w, WHERE_MEMORY, node);
}

void abi_where(const struct target_param *p, struct where *out)
{
	*out = (struct where){.nnodes = 0};
	switch (p->passing) {
	case PASSED_ARG:
	case PASSED_ADDRESS:
		place_argument(out, p->arg, p->passing == PASSED_ADDRESS);
		return;
	case PASSED_VECTOR:
		add_piece(out, WHERE_VECTOR, (uint16_t)p->arg);
		return;
	case PASSED_STACK:
		add_piece(out, WHERE_MEMORY, add_stack_word(out, p->arg));
		return;
	case PASSED_PIECES:
		for (uint32_t i = 0; i < p->words; i++)
			place_argument(out, p->arg + i, false);
		break;
	default:
		break;
	}
	if (!out->npieces) {
		out->why = "it is passed in pieces, or in a wide register";
		add_piece(out, WHERE_GONE, 0);
	}
}
