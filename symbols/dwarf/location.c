/* SPDX-License-Identifier: MIT */
/*
 * Location descriptions (DWARF 5, 2.6) of one variable at one address, as struct where.
 * Their stack holds numbers of nodes: branches, which no compiler writes there, are not
 * known. What cannot be said becomes a piece that is gone, and why.
 */
#include "symbols/dwarf/internal.h"
#include "vm/base/regs.h"

#include <string.h>

#include <dwarf.h>

#define STACK_MAX 32
#define OPS_MAX	  256
#define COST_MAX  250 /* nodes, if those that are used twice count twice */

/* A value: with a type if its size is not 0. */
struct value {
	uint16_t node;
	uint8_t size;
	bool is_signed;
};

struct run {
	struct dwarf_file *file;
	const struct dwarf_frame *frame;
	Dwarf_Attribute *attr;
	struct where *out;
	struct value stack[STACK_MAX];
	size_t n;
	uint8_t cost[WHERE_NODES_MAX];
	/* What the operations so far describe: memory at the top of the stack, ... */
	enum { IS_MEMORY, IS_VALUE, IS_VECTOR, IS_BYTES } is;
	uint32_t vector;
	Dwarf_Block bytes;
	bool in_frame_base;
	/* Of a call's argument: of the called function, in whose frame registers of the
	 * caller are. */
	const struct dwarf_frame *called;
	const char *why; /* it failed */
};

static bool fail(struct run *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

static const char too_large[] = "its location is too complicated";
static const char computed[] = "its location is computed in a way that is not known";
static const char optimized[] = "it was optimized away";

static bool add_node(struct run *r, struct where_node node, uint16_t *number)
{
	struct where *w = r->out;
	unsigned cost = 1;

	if (node.op >= WHERE_LOAD)
		cost += r->cost[node.a];
	if (node.op >= WHERE_ADD)
		cost += r->cost[node.b];
	if (node.op == WHERE_IF)
		cost += r->cost[node.n];
	if (w->nnodes == WHERE_NODES_MAX || cost > COST_MAX)
		return fail(r, too_large);
	r->cost[w->nnodes] = (uint8_t)cost;
	w->nodes[w->nnodes] = node;
	*number = (uint16_t)w->nnodes++;
	return true;
}

static bool push(struct run *r, struct value v)
{
	if (r->n == STACK_MAX)
		return fail(r, too_large);
	r->stack[r->n++] = v;
	return true;
}

static bool push_node(struct run *r, struct where_node node)
{
	struct value v = {0};

	return add_node(r, node, &v.node) && push(r, v);
}

static bool push_const(struct run *r, uint64_t n)
{
	return push_node(r, (struct where_node){.op = WHERE_CONST, .n = n});
}

static bool pop(struct run *r, struct value *v)
{
	if (!r->n)
		return fail(r, computed);
	*v = r->stack[--r->n];
	return true;
}

/* Replaces the two at the top. The result has the type of the lower one. */
static bool binary(struct run *r, enum where_op op)
{
	struct value a, b;

	if (!pop(r, &b) || !pop(r, &a) ||
	    !add_node(r, (struct where_node){.op = op, .a = a.node, .b = b.node},
		      &a.node))
		return false;
	if (a.size && a.size < 8 &&
	    !add_node(r,
		      (struct where_node){.op = WHERE_EXTEND,
					  .a = a.node,
					  .n = a.size,
					  .is_signed = a.is_signed},
		      &a.node))
		return false;
	return push(r, a);
}

static bool unary(struct run *r, enum where_op op, uint64_t n)
{
	struct value a;

	if (!pop(r, &a) ||
	    !add_node(r, (struct where_node){.op = op, .a = a.node, .n = n}, &a.node))
		return false;
	return push(r, a);
}

static bool add_offset(struct run *r, uint64_t n)
{
	return !n || (push_const(r, n) && binary(r, WHERE_ADD));
}

/* ---- registers ---- */

#define FIRST_VECTOR 17 /* DWARF number of xmm0 */
#define VECTORS	     16

static const char at_entry[] = "only its value at the entry of the function is known";

static bool push_cfa(struct run *r);

static bool push_present(struct run *r, uint64_t reg)
{
	if (reg >= REGS_DWARF_COUNT)
		return fail(r, "it is in a register that is not read");
	return push_node(r,
			 (struct where_node){.op = WHERE_REGISTER,
					     .n = regs_ureg_of_dwarf((uint32_t)reg)});
}

/* A register of the caller, in the frame of the function that it has called. */
static bool push_saved(struct run *r, uint64_t reg)
{
	const struct dwarf_frame *caller = r->frame;
	const struct dwarf_saved *saved = reg == REGS_DWARF_FP	   ? &r->called->fp
					  : reg == REGS_DWARF_BASE ? &r->called->base
								   : NULL;
	bool is_right = false;

	if (reg != REGS_DWARF_SP && (!saved || saved->kind == SAVED_NOWHERE))
		return fail(r, at_entry);
	r->frame = r->called;
	r->called = NULL;
	if (reg == REGS_DWARF_SP)
		is_right = push_cfa(r);
	else if (saved->kind == SAVED_NOT)
		is_right = push_present(r, reg);
	else
		is_right = push_cfa(r) && add_offset(r, (uint64_t)saved->offset) &&
			   unary(r, WHERE_LOAD, 8);
	r->called = r->frame;
	r->frame = caller;
	return is_right;
}

/*
 * What has become of the register at this address; NULL: its present value is meant. The
 * stack pointer moves: it is the frame base at one height only, and elsewhere compilers
 * say where it is.
 */
static const struct dwarf_own *own_of(const struct run *r, uint64_t reg)
{
	switch (reg) {
	case REGS_DWARF_FP:
		return &r->frame->own_fp;
	case REGS_DWARF_BASE:
		return &r->frame->own_base;
	case REGS_DWARF_SP:
		return r->in_frame_base ? &r->frame->own_sp : NULL;
	default:
		return NULL;
	}
}

static bool push_register(struct run *r, uint64_t reg)
{
	const struct dwarf_own *own = own_of(r, reg);

	if (r->called)
		return push_saved(r, reg);
	if (!own || own->kind == OWN_HERE)
		return push_present(r, reg);
	if (own->kind == OWN_NOWHERE)
		return fail(r, "the register that leads to it has another value here: "
			       "that of the function's caller");
	return push_cfa(r) && add_offset(r, (uint64_t)own->offset);
}

static bool in_register(struct run *r, uint64_t reg)
{
	r->is = IS_VALUE;
	if (reg < FIRST_VECTOR || reg >= FIRST_VECTOR + VECTORS)
		return push_register(r, reg);
	r->is = IS_VECTOR;
	r->vector = (uint32_t)reg - FIRST_VECTOR;
	return true;
}

static bool push_cfa(struct run *r)
{
	const struct dwarf_frame *f = r->frame;

	if (f->cfa == FRAME_UNKNOWN)
		return fail(r, "the frame of its function is not known here");
	if (!(r->called ? push_saved(r, f->reg) : push_present(r, f->reg)) ||
	    !add_offset(r, (uint64_t)f->offset))
		return false;
	return f->cfa == FRAME_PLAIN ||
	       (unary(r, WHERE_LOAD, 8) && add_offset(r, (uint64_t)f->after));
}

static bool run_ops(struct run *r, const Dwarf_Op *ops, size_t n);

/* An expression, or one register: then its value is the base. */
static bool push_frame_base(struct run *r)
{
	Dwarf_Attribute a, *outer = r->attr;
	Dwarf_Die function;
	size_t n, before = r->n;
	Dwarf_Op *ops;
	bool is_right;

	if (r->in_frame_base || !dwarf_die_at(r->file, r->frame->function, &function) ||
	    !dwarf_attr_integrate(&function, DW_AT_frame_base, &a) ||
	    dwarf_getlocation_addr(&a, r->frame->pc, &ops, &n, 1) != 1)
		return fail(r, "the frame of its function is not known here");
	r->in_frame_base = true;
	r->attr = &a;
	is_right = run_ops(r, ops, n) && r->n == before + 1 &&
		   (r->is == IS_MEMORY || r->is == IS_VALUE);
	r->is = IS_MEMORY;
	r->attr = outer;
	r->in_frame_base = false;
	return is_right || fail(r, computed);
}

/* ---- types of values ---- */

/* Only integers have one here. */
static bool type_of(Dwarf_Die *die, struct value *v)
{
	Dwarf_Attribute a;
	Dwarf_Word encoding, size;

	if (!dwarf_attr(die, DW_AT_encoding, &a) ||
	    dwarf_formudata(&a, &encoding) != 0 ||
	    !dwarf_attr(die, DW_AT_byte_size, &a) || dwarf_formudata(&a, &size) != 0 ||
	    !size || size > 8 || (size & (size - 1)))
		return false;
	v->size = (uint8_t)size;
	v->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return v->is_signed || encoding == DW_ATE_unsigned ||
	       encoding == DW_ATE_unsigned_char || encoding == DW_ATE_boolean ||
	       encoding == DW_ATE_UTF || encoding == DW_ATE_address;
}

/* Gives the top of the stack the type that the operation names. */
static bool convert(struct run *r, const Dwarf_Op *op, bool is_generic)
{
	struct value v, type = {0};
	Dwarf_Die die;

	if (!pop(r, &v))
		return false;
	if (is_generic)
		return push(r, (struct value){.node = v.node});
	if (dwarf_getlocation_die(r->attr, op, &die) != 0 || !type_of(&die, &type))
		return fail(r, "it is computed with numbers that are no integers");
	type.node = v.node;
	if (type.size < 8 && !add_node(r,
				       (struct where_node){.op = WHERE_EXTEND,
							   .a = v.node,
							   .n = type.size,
							   .is_signed = type.is_signed},
				       &type.node))
		return false;
	return push(r, type);
}

static uint64_t little_endian(const Dwarf_Block *b)
{
	uint64_t n = 0;

	memcpy(&n, b->data, min_u64(b->length, sizeof(n)));
	return n;
}

static bool push_typed_const(struct run *r, const Dwarf_Op *op)
{
	Dwarf_Attribute a;
	Dwarf_Block block;

	if (dwarf_getlocation_attr(r->attr, op, &a) != 0 ||
	    dwarf_formblock(&a, &block) != 0 || block.length > 8)
		return fail(r, computed);
	return push_const(r, little_endian(&block)) && convert(r, op, false);
}

/* ---- values at the entry of the function ---- */

#define CALLS_MAX 16 /* of one function */

/* The register that an operand or parameter is in; false: none, or not only that. */
static bool is_register(const Dwarf_Op *ops, size_t n, uint64_t *reg)
{
	*reg = n != 1			 ? REGS_DWARF_COUNT
	       : ops->atom == DW_OP_regx ? ops->number
	       : ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31
		       ? ops->atom - (uint64_t)DW_OP_reg0
		       : REGS_DWARF_COUNT;
	return *reg < REGS_DWARF_COUNT;
}

/* What the call passes in the register: its expression, an attribute of the call. */
static bool find_argument(Dwarf_Die *call, uint64_t reg, Dwarf_Attribute *out)
{
	Dwarf_Attribute a;
	Dwarf_Die p, next;
	Dwarf_Op *ops;
	uint64_t own;
	size_t n;

	if (dwarf_child(call, &p) != 0)
		return false;
	for (int i = 0; i < CALLS_MAX; i++) {
		if (dwarf_attr(&p, DW_AT_location, &a) &&
		    dwarf_getlocation(&a, &ops, &n) == 0 && is_register(ops, n, &own) &&
		    own == reg)
			return dwarf_attr(&p, DW_AT_call_value, out) ||
			       dwarf_attr(&p, DW_AT_GNU_call_site_value, out);
		if (dwarf_siblingof(&p, &next) != 0)
			return false;
		p = next;
	}
	return false;
}

static bool find_return(Dwarf_Die *call, Dwarf_Addr *pc)
{
	Dwarf_Attribute a;

	return (dwarf_attr(call, DW_AT_call_return_pc, &a) ||
		dwarf_attr(call, DW_AT_low_pc, &a)) &&
	       dwarf_formaddr(&a, pc) == 0;
}

/* Pushes the argument of one call, and sets where the call returns to. */
static bool push_argument(struct run *r, uint64_t ref, uint64_t reg,
			  Dwarf_Addr *returns)
{
	const struct dwarf_frame *called = r->frame;
	Dwarf_Attribute a, *outer = r->attr;
	struct dwarf_frame caller;
	size_t n, before = r->n;
	Dwarf_Die call;
	Dwarf_Op *ops;
	bool is_right;

	if (!dwarf_die_at(r->file, ref, &call) || !find_return(&call, returns) ||
	    !find_argument(&call, reg, &a) || dwarf_getlocation(&a, &ops, &n) != 0 ||
	    !called->caller(called->ctx, *returns - 1, &caller))
		return false;
	r->called = called;
	r->frame = &caller;
	r->attr = &a;
	is_right = run_ops(r, ops, n) && r->n == before + 1;
	r->is = IS_MEMORY;
	r->attr = outer;
	r->frame = called;
	r->called = NULL;
	r->why = NULL;
	r->n = is_right ? r->n : before;
	return is_right;
}

/* The word at which the return address is. */
static bool push_return(struct run *r)
{
	return push_cfa(r) && add_offset(r, UINT64_MAX - 7) && unary(r, WHERE_LOAD, 8);
}

/* Replaces the top: the argument if the function was called from there, else the value
 * below it. */
static bool choose_call(struct run *r, Dwarf_Addr returns)
{
	struct value argument, otherwise, is_this;

	if (!pop(r, &argument) || !pop(r, &otherwise) || !push_return(r) ||
	    !push_node(r, (struct where_node){.op = WHERE_ADDRESS, .n = returns}) ||
	    !binary(r, WHERE_EQ) || !pop(r, &is_this))
		return false;
	return push_node(r, (struct where_node){.op = WHERE_IF,
						.a = is_this.node,
						.b = argument.node,
						.n = otherwise.node});
}

/* The value that a register had at the entry: what the caller has passed, by what its
 * debug data says of the call that the function returns to. */
static bool push_entry_value(struct run *r, const Dwarf_Op *op)
{
	uint64_t calls[CALLS_MAX], reg;
	Dwarf_Attribute a;
	Dwarf_Addr returns;
	Dwarf_Op *ops;
	size_t n, found = 0;

	if (!r->called && r->frame->is_entry &&
	    dwarf_getlocation_attr(r->attr, op, &a) == 0 &&
	    dwarf_getlocation(&a, &ops, &n) == 0 && is_register(ops, n, &reg))
		return push_present(r, reg);
	if (r->called || !r->frame->calls || r->frame->cfa == FRAME_UNKNOWN ||
	    dwarf_getlocation_attr(r->attr, op, &a) != 0 ||
	    dwarf_getlocation(&a, &ops, &n) != 0 || !is_register(ops, n, &reg))
		return fail(r, at_entry);
	n = r->frame->calls(r->frame->ctx, calls, CALLS_MAX);
	if (!push_node(r, (struct where_node){.op = WHERE_NONE}))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!push_argument(r, calls[i], reg, &returns))
			continue;
		if (!choose_call(r, returns))
			return false;
		found++;
	}
	return found || fail(r, at_entry);
}

/* ---- operations ---- */

static bool run_indexed(struct run *r, const Dwarf_Op *op)
{
	bool is_address = op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index;
	Dwarf_Attribute a;
	Dwarf_Addr n = 0;

	if (dwarf_getlocation_attr(r->attr, op, &a) != 0 ||
	    (is_address ? dwarf_formaddr(&a, &n) : dwarf_formudata(&a, &n)) != 0)
		return fail(r, computed);
	return push_node(
		r, (struct where_node){.op = is_address ? WHERE_ADDRESS : WHERE_CONST,
				       .n = n});
}

static bool run_stack(struct run *r, const Dwarf_Op *op)
{
	size_t at = op->atom == DW_OP_over   ? 1
		    : op->atom == DW_OP_pick ? op->number
					     : 0;
	struct value *top = r->stack + r->n, v;

	switch (op->atom) {
	case DW_OP_drop:
		return pop(r, &v);
	case DW_OP_swap:
		if (r->n < 2)
			return fail(r, computed);
		v = top[-1];
		top[-1] = top[-2];
		top[-2] = v;
		return true;
	case DW_OP_rot:
		if (r->n < 3)
			return fail(r, computed);
		v = top[-1];
		top[-1] = top[-2];
		top[-2] = top[-3];
		top[-3] = v;
		return true;
	default:
		return at < r->n ? push(r, top[-1 - (ptrdiff_t)at]) : fail(r, computed);
	}
}

/* The operator of a binary operation; WHERE_CONST: it is none. */
static enum where_op binary_op(unsigned atom)
{
	static const struct {
		uint8_t atom, op;
	} all[] = {
		{DW_OP_and, WHERE_AND},	  {DW_OP_div, WHERE_DIV},
		{DW_OP_minus, WHERE_SUB}, {DW_OP_mod, WHERE_MOD},
		{DW_OP_mul, WHERE_MUL},	  {DW_OP_or, WHERE_OR},
		{DW_OP_plus, WHERE_ADD},  {DW_OP_shl, WHERE_SHL},
		{DW_OP_shr, WHERE_SHR},	  {DW_OP_shra, WHERE_SHRA},
		{DW_OP_xor, WHERE_XOR},	  {DW_OP_eq, WHERE_EQ},
		{DW_OP_ne, WHERE_NE},	  {DW_OP_lt, WHERE_LT},
		{DW_OP_le, WHERE_LE},	  {DW_OP_gt, WHERE_GT},
		{DW_OP_ge, WHERE_GE},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i].atom == atom)
			return (enum where_op)all[i].op;
	return WHERE_CONST;
}

static bool run_typed(struct run *r, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return push_register(r, op->number) && convert(r, op, false);
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		if (op->number > 8 || !op->number)
			return fail(r, computed);
		return unary(r, WHERE_LOAD, op->number) && convert(r, op, false);
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		return push_typed_const(r, op);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		return convert(r, op, op->number == 0);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(r, op);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return fail(r, "what it points to was optimized away");
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return fail(r, "each thread has its own");
	default:
		return fail(r, computed);
	}
}

static bool run_memory(struct run *r, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_addr:
		return push_node(
			r, (struct where_node){.op = WHERE_ADDRESS, .n = op->number});
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		return run_indexed(r, op);
	case DW_OP_deref:
		return unary(r, WHERE_LOAD, 8);
	case DW_OP_deref_size:
		return (op->number == 1 || op->number == 2 || op->number == 4 ||
			op->number == 8)
			       ? unary(r, WHERE_LOAD, op->number)
			       : fail(r, computed);
	case DW_OP_call_frame_cfa:
		return push_cfa(r);
	case DW_OP_fbreg:
		return push_frame_base(r) && add_offset(r, op->number);
	case DW_OP_bregx:
		return push_register(r, op->number) && add_offset(r, op->number2);
	case DW_OP_regx:
		return in_register(r, op->number);
	default:
		return run_typed(r, op);
	}
}

static bool run_plain(struct run *r, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_nop:
	case DW_OP_GNU_uninit:
		return true;
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_over:
	case DW_OP_pick:
	case DW_OP_swap:
	case DW_OP_rot:
		return run_stack(r, op);
	case DW_OP_neg:
		return unary(r, WHERE_NEG, 0);
	case DW_OP_not:
		return unary(r, WHERE_NOT, 0);
	case DW_OP_plus_uconst:
		return add_offset(r, op->number);
	case DW_OP_stack_value:
		r->is = IS_VALUE;
		return true;
	case DW_OP_implicit_value:
		r->is = IS_BYTES;
		return dwarf_getlocation_implicit_value(r->attr, op, &r->bytes) == 0 ||
		       fail(r, computed);
	default:
		return run_memory(r, op);
	}
}

static bool run_op(struct run *r, const Dwarf_Op *op)
{
	enum where_op two = binary_op(op->atom);

	if (two != WHERE_CONST)
		return binary(r, two);
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push_const(r, op->atom - (uint64_t)DW_OP_lit0);
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		return push_const(r, op->number);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return in_register(r, op->atom - (uint64_t)DW_OP_reg0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(r, op->atom - (uint64_t)DW_OP_breg0) &&
		       add_offset(r, op->number);
	return run_plain(r, op);
}

/* ---- pieces ---- */

static bool add_piece(struct run *r, struct where_piece piece)
{
	if (r->out->npieces == WHERE_PIECES_MAX)
		return fail(r, too_large);
	r->out->pieces[r->out->npieces++] = piece;
	return true;
}

static bool add_bytes(struct run *r)
{
	for (Dwarf_Word at = 0; at < r->bytes.length; at += 8) {
		Dwarf_Block rest = {min_u64(r->bytes.length - at, 8),
				    r->bytes.data + at};
		struct value v;

		if (!push_const(r, little_endian(&rest)) || !pop(r, &v) ||
		    !add_piece(r,
			       (struct where_piece){WHERE_VALUE, v.node, rest.length}))
			return false;
	}
	return true;
}

/* What the operations since the last piece describe; size 0: all of the variable. */
static bool end_piece(struct run *r, uint64_t size)
{
	struct where_piece piece = {.size = size};
	bool is_empty = r->is == IS_MEMORY && !r->n;
	struct value v = {0};

	if (r->is == IS_BYTES)
		return add_bytes(r);
	if (is_empty && !r->out->why)
		r->out->why = optimized;
	if (r->is == IS_VECTOR)
		v.node = (uint16_t)r->vector;
	else if (!is_empty && !pop(r, &v))
		return false;
	piece.node = v.node;
	piece.kind = is_empty		  ? WHERE_GONE
		     : r->is == IS_VALUE  ? WHERE_VALUE
		     : r->is == IS_VECTOR ? WHERE_VECTOR
					  : WHERE_MEMORY;
	r->is = IS_MEMORY;
	r->n = 0;
	return add_piece(r, piece);
}

static bool run_ops(struct run *r, const Dwarf_Op *ops, size_t n)
{
	if (n > OPS_MAX)
		return fail(r, too_large);
	for (size_t i = 0; i < n; i++) {
		if (ops[i].atom == DW_OP_bit_piece)
			return fail(r, "its bits are in several places");
		if (ops[i].atom != DW_OP_piece
			    ? !run_op(r, &ops[i])
			    : r->in_frame_base || !end_piece(r, ops[i].number))
			return fail(r, computed);
	}
	return true;
}

/* ---- variables ---- */

static void gone(struct where *out, const char *why)
{
	*out = (struct where){
		.pieces = {{.kind = WHERE_GONE}}, .npieces = 1, .why = why};
}

static void run_location(struct run *r, const Dwarf_Op *ops, size_t n)
{
	if (!n) {
		gone(r->out, optimized);
		return;
	}
	if (!run_ops(r, ops, n) ||
	    (ops[n - 1].atom != DW_OP_piece && !end_piece(r, 0)) || !r->out->npieces)
		gone(r->out, r->why ? r->why : computed);
}

/* A constant instead of a place. */
static bool read_const(struct run *r, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Sword n;
	struct value v;

	if (!dwarf_attr_integrate(die, DW_AT_const_value, &a))
		return false;
	if (dwarf_formblock(&a, &r->bytes) == 0)
		return add_bytes(r);
	return dwarf_formsdata(&a, &n) == 0 && push_const(r, (uint64_t)n) &&
	       pop(r, &v) && add_piece(r, (struct where_piece){WHERE_VALUE, v.node, 0});
}

void dwarf_where(struct dwarf_file *d, uint64_t variable,
		 const struct dwarf_frame *frame, struct where *out)
{
	Dwarf_Attribute a;
	struct run r = {.file = d, .frame = frame, .out = out, .attr = &a};
	Dwarf_Op *ops;
	Dwarf_Die die;
	size_t n;

	*out = (struct where){.nnodes = 0};
	if (!dwarf_die_at(d, variable, &die)) {
		gone(out, computed);
	} else if (!dwarf_attr_integrate(&die, DW_AT_location, &a)) {
		if (!read_const(&r, &die) || !out->npieces)
			gone(out, optimized);
	} else if (dwarf_getlocation_addr(&a, frame->pc, &ops, &n, 1) != 1) {
		gone(out, "it was optimized away here");
	} else {
		run_location(&r, ops, n);
	}
}

#define RANGES_MAX 16 /* of a list, that are looked at */

bool dwarf_where_next(struct dwarf_file *d, uint64_t variable, uint64_t end,
		      const struct dwarf_frame *frame, struct where *out)
{
	Dwarf_Attribute a;
	struct run r = {.file = d, .frame = frame, .out = out, .attr = &a};
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	Dwarf_Die die;
	size_t n;

	*out = (struct where){.nnodes = 0};
	if (!dwarf_die_at(d, variable, &die) ||
	    !dwarf_attr_integrate(&die, DW_AT_location, &a))
		return false;
	for (int i = 0; i < RANGES_MAX; i++) {
		at = dwarf_getlocations(&a, at, &base, &lo, &hi, &ops, &n);
		if (at <= 0 || lo >= end)
			return false;
		if (lo >= frame->pc) {
			run_location(&r, ops, n);
			return true;
		}
	}
	return false;
}
