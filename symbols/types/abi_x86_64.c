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
#define PARTS_MAX 2000

enum value_class {
	CLASS_NONE,
	CLASS_VECTOR,
	CLASS_INTEGER, /* wins over CLASS_VECTOR in one half */
	CLASS_MEMORY,
};

struct value {
	enum value_class half[2];
	uint64_t size;
	uint64_t words; /* that it is aligned to on the stack */
	unsigned left;	/* parts that may still be looked at */
	bool is_struct, is_by_reference;
	bool is_wide; /* a part of it takes all of a vector register */
};

struct classing {
	struct module_types *mt;
	struct value *value;
	uint64_t offset;
	unsigned depth;
	bool is_whole; /* not a member: value is of just this type */
};

static void classify(struct classing *c, uint64_t ref);

/* A part of 16 bytes at a multiple of them; elsewhere the struct is packed. */
static void note_alignment(struct classing *c, uint64_t size)
{
	if (size >= 16 && c->offset % size == 0)
		c->value->words = max_u64(c->value->words, size / 8);
}

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

	if (m->nbits) {
		c.offset += m->bit / 8;
		merge(&c, 1, CLASS_INTEGER);
		c.offset += (m->bit % 8 + m->nbits - 1) / 8;
		merge(&c, 1, CLASS_INTEGER);
		return;
	}
	c.offset += m->offset;
	c.depth++;
	c.is_whole = false;
	classify(&c, m->type);
}

/* An array inside a struct of at most 16 bytes. */
static void classify_array(struct classing *c, const struct target_type *t)
{
	struct value one = {.words = 1, .left = c->value->left};
	struct classing inside = {c->mt, &one, 0, c->depth + 1, true};
	uint64_t count = 1;

	classify(&inside, t->base);
	c->value->left = one.left;
	if (c->offset % 8 == 0)
		c->value->words = max_u64(c->value->words, one.words);
	for (uint32_t i = 0; i < t->ndims; i++)
		count = min_u64(count * t->dims[i], 16);
	for (uint64_t i = 0; i < count && c->offset < 16 && one.size; i++) {
		struct classing element = *c;

		element.depth++;
		element.is_whole = false;
		classify(&element, t->base);
		c->offset += one.size;
	}
}

/* Debug data distinguishes __float128 from long double only by its name. */
static bool is_quad(const struct target_type *t)
{
	return t->size == 16 && t->name && strstr(t->name, "128");
}

static void classify_scalar(struct classing *c, const struct target_type *t)
{
	note_alignment(c, t->kind == TARGET_COMPLEX ? t->size / 2 : t->size);
	switch (t->kind) {
	case TARGET_FLOAT:
		c->value->is_wide |= is_quad(t);
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
		if (c->is_whole)
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
	if (c->is_whole)
		c->value->size = size;
	note_alignment(c, size);
	c->value->is_wide |= size > 8;
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
		ref = module_types_definition(c->mt, ref);
		module_types_get(c->mt, ref, &t);
	}
	if (c->is_whole) {
		c->value->size = t.size;
		c->value->is_by_reference = module_types_is_by_reference(c->mt, ref);
		c->value->is_struct = t.kind == TARGET_STRUCT ||
				      t.kind == TARGET_UNION ||
				      t.kind == TARGET_COMPLEX;
	}
	c->value->left -= c->value->left > 0;
	if (t.align >= 16)
		c->value->words = max_u64(c->value->words, min_u64(t.align / 8, 64));
	if (t.size > 16 || c->depth > DEPTH_MAX)
		c->value->half[0] = CLASS_MEMORY;
	if (t.kind == TARGET_ARRAY && t.is_vector)
		classify_vector(c, &t);
	else if (c->depth > DEPTH_MAX || !c->value->left)
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
	struct value v = {.words = 1, .left = PARTS_MAX};
	struct classing c = {mt, &v, 0, 0, true};

	classify(&c, type);
	return v;
}

/* The type of the only member of a struct; else the type itself. */
struct only {
	uint64_t type;
	unsigned n;
};

static void note_only(void *ctx, const struct target_member *m)
{
	struct only *only = ctx;

	only->type = m->type;
	only->n++;
}

/* long double, alone in a struct or complex, is returned in registers of its own. */
static bool is_x87(struct module_types *mt, uint64_t ref)
{
	struct target_type t;

	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		struct only only = {0};

		module_types_get(mt, ref, &t);
		if (t.kind == TARGET_STRUCT)
			module_types_members(mt, ref, note_only, &only);
		else if (t.kind != TARGET_ALIAS && t.kind != TARGET_QUALIFIED)
			break;
		if (t.kind == TARGET_STRUCT && (only.n != 1 || t.size != 16))
			return false;
		ref = only.n ? only.type : t.base;
	}
	return (t.kind == TARGET_COMPLEX && t.size == 32) ||
	       (t.kind == TARGET_FLOAT && t.size == 16 && !is_quad(&t));
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
	u->words = (uint32_t)align_up(u->words, v->words);
	p->arg = INTEGERS + u->words;
	p->passing = v->is_struct || v->size > 8 ? PASSED_STACK : PASSED_ARG;
	u->words += (uint32_t)min_u64((v->size + 7) / 8, UINT16_MAX);
}

/* How a value for which there are enough registers is passed. */
static enum target_passing passing_of(const struct value *v)
{
	uint32_t integers = count(v, CLASS_INTEGER), vectors = count(v, CLASS_VECTOR);

	if (v->half[0] == CLASS_MEMORY)
		return PASSED_WIDE;
	if (integers + vectors == 0)
		return PASSED_NOT;
	if (v->is_wide)
		return PASSED_WIDE;
	if (v->is_struct || integers + vectors > 1)
		return PASSED_PIECES;
	return vectors ? PASSED_VECTOR : PASSED_ARG;
}

static void place_in_registers(struct used *u, const struct value *v,
			       struct target_param *p)
{
	p->passing = passing_of(v);
	p->arg = u->integers;
	p->vector = u->vectors;
	p->npieces = v->size > 8 ? 2 : 1;
	for (int i = 0; i < 2; i++) {
		p->is_vector[i] = v->half[i] == CLASS_VECTOR;
		p->is_padding[i] = v->half[i] == CLASS_NONE;
	}
	u->integers += count(v, CLASS_INTEGER);
	u->vectors += count(v, CLASS_VECTOR);
}

static void place(struct used *u, struct value *v, struct target_param *p)
{
	p->size = v->size;
	if (v->is_by_reference)
		*v = (struct value){.half = {CLASS_INTEGER}, .size = 8, .words = 1};
	if (v->half[0] == CLASS_MEMORY ||
	    u->integers + count(v, CLASS_INTEGER) > INTEGERS ||
	    u->vectors + count(v, CLASS_VECTOR) > VECTORS)
		place_on_stack(u, v, p);
	else
		place_in_registers(u, v, p);
}

void abi_classify(struct module_types *mt, struct target_function *f)
{
	struct value v = value_of(mt, f->result.type);
	struct used used = {0};

	place_in_registers(&used, &v, &f->result);
	f->result.size = v.size;
	used = (struct used){0};
	if (v.is_by_reference ||
	    (v.is_struct && v.half[0] == CLASS_MEMORY && !is_x87(mt, f->result.type))) {
		f->result.passing = PASSED_ADDRESS;
		used.integers = 1; /* the address of the result, a hidden parameter */
	}
	for (uint32_t i = 0; i < f->nparams; i++) {
		struct target_param *p = &f->params[i];
		bool is_address;

		v = value_of(mt, p->type);
		v.is_by_reference |= p->passing == PASSED_ADDRESS;
		is_address = v.is_by_reference;
		place(&used, &v, p);
		if (is_address)
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

static void add_piece(struct where *w, enum where_kind kind, uint32_t node)
{
	w->pieces[w->npieces++] = (struct where_piece){kind, (uint16_t)node, 8};
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

/* In the registers of results, or in those of parameters. */
static void place_pieces(struct where *w, const struct target_param *p, bool is_result)
{
	static const uint8_t results[] = {REGS_DWARF_RAX, REGS_DWARF_RDX};
	uint32_t arg = p->arg, vector = p->vector;

	for (uint32_t i = 0; i < p->npieces; i++) {
		if (p->is_padding[i])
			add_piece(w, WHERE_GONE, 0);
		else if (p->is_vector[i])
			add_piece(w, WHERE_VECTOR, vector++);
		else if (is_result)
			add_piece(w, WHERE_VALUE, add_register(w, results[arg++]));
		else
			place_argument(w, arg++, false);
	}
	if (p->npieces == 2)
		w->pieces[1].size = p->size - 8;
}

static void set_gone(struct where *w, const char *why)
{
	w->why = why;
	add_piece(w, WHERE_GONE, 0);
}

void abi_where(const struct target_param *p, bool is_result, struct where *out)
{
	*out = (struct where){.nnodes = 0};
	switch (p->passing) {
	case PASSED_ARG:
	case PASSED_ADDRESS:
		if (is_result)
			add_piece(out,
				  p->passing == PASSED_ADDRESS ? WHERE_MEMORY
							       : WHERE_VALUE,
				  add_register(out, REGS_DWARF_RAX));
		else
			place_argument(out, p->arg, p->passing == PASSED_ADDRESS);
		break;
	case PASSED_VECTOR:
		add_piece(out, WHERE_VECTOR, p->vector);
		break;
	case PASSED_STACK:
		add_piece(out, WHERE_MEMORY, add_stack_word(out, p->arg));
		break;
	case PASSED_PIECES:
		place_pieces(out, p, is_result);
		break;
	case PASSED_NOT:
		set_gone(out, "it has no bytes, so nothing is passed");
		break;
	default:
		set_gone(out, "it is in a register that is wider than the 8 bytes that "
			      "are read");
		break;
	}
	if (out->npieces == 1)
		out->pieces[0].size = 0;
}
