/* SPDX-License-Identifier: MIT */
/* Tuples: keys of aggregations and of dynamic variables of integer type. */
#include "vm/native/translation.h"
#include "vm/run/inline_cache.h"

static void begin(struct translation *t)
{
	if (t->tuple.is_open)
		translation_fail(t); /* one inside of another */
	t->tuple = (struct tuple_translation){.is_open = true, .is_static = true};
}

/* native_call.tuple_end is what it should be. */
static void set_end(struct translation *t)
{
	if (t->tuple.is_static)
		x86_store32_constant(t->code, call_at(t, CALL_AT(tuple_end)),
				     (int32_t)t->tuple.end);
}

/* rsi = a value that is the same at every firing of the probe. */
static void load_constant(struct translation *t, const struct known_value *v)
{
	int32_t at;

	if (v->what != KNOWN_NAME) {
		x86_constant(t->code, X86_RSI, v->value);
		return;
	}
	at = (int32_t)(v->value - BUILTIN_probeprov) * 4;
	if (t->light.is_on)
		translation_fail(t);
	/* VM_ADDR_NAMES + fullnames[probe->id - 1].field[] */
	_Static_assert(sizeof(struct vm_fullname) == 16, "ids are scaled twice");
	x86_load(t->code, X86_RAX, call_at(t, CALL_AT(probe)));
	x86_load32(t->code, X86_RAX,
		   (struct x86_mem){X86_RAX, offsetof(struct vm_probe, id)});
	x86_load(t->code, X86_RCX, call_at(t, CALL_AT(fullnames)));
	x86_address(t->code, X86_RCX, (struct x86_mem){X86_RCX, at - 16},
		    (struct x86_index){X86_RAX, 3});
	x86_address(t->code, X86_RCX, (struct x86_mem){X86_RCX, 0},
		    (struct x86_index){X86_RAX, 3});
	x86_load32(t->code, X86_RCX, (struct x86_mem){X86_RCX, 0});
	x86_constant(t->code, X86_RSI, VM_ADDR_NAMES);
	x86_alu(t->code, X86_ADD, X86_RSI, X86_RCX);
}

/* Its value in rsi. */
static void push_by_call(struct translation *t, uint32_t kind)
{
	set_end(t);
	t->tuple.is_static = false;
	x86_constant(t->code, X86_RDX, kind);
	translation_call(t, CALL_AT(push));
}

/* An integer in rsi. */
static void push_integer(struct translation *t, uint32_t size)
{
	if (!t->tuple.is_static) {
		push_by_call(t, size);
		return;
	}
	x86_narrow(t->code, X86_RSI, X86_RSI, size, false);
	x86_load(t->code, X86_RAX, call_at(t, CALL_AT(tuple)));
	x86_store(t->code, (struct x86_mem){X86_RAX, (int32_t)t->tuple.end}, X86_RSI);
	t->tuple.end += 8;
}

/* Makes the tuple of all parts that wait. */
static void push_waiting(struct translation *t)
{
	for (; t->tuple.pushed < t->tuple.n; t->tuple.pushed++) {
		const struct tuple_part *part = &t->tuple.part[t->tuple.pushed];

		load_constant(t, &part->value);
		if (part->value.what == KNOWN_CONSTANT)
			push_integer(t, part->size);
		else
			push_by_call(t, NATIVE_PUSH_STRING);
	}
}

/* A part that can wait. */
static bool wait(struct translation *t, const struct known_value *v, uint32_t size)
{
	struct tuple_translation *tuple = &t->tuple;

	if (tuple->n == TUPLE_VALUES_MAX || v->what == KNOWN_MIXED) {
		translation_fail(t);
		return true;
	}
	if (v->what == KNOWN_NOTHING)
		return false;
	tuple->part[tuple->n++] = (struct tuple_part){*v, size};
	return true;
}

/* The next instruction aggregates under this integer alone. */
static bool is_lone(const struct translation *t)
{
	const insn_t *code = program_section(t->image, SECTION_CODE);

	return !t->tuple.n && isa_op(code[t->at + 1]) == OP_AGGR;
}

static void push(struct translation *t, insn_t i)
{
	unsigned r = isa_a(i);

	if (wait(t, &t->known[r], isa_c(i)))
		return;
	if (is_lone(t)) {
		x86_narrow(t->code, X86_R9, translation_read(t, r, X86_R9), isa_c(i),
			   false);
		t->tuple.is_lone = true;
		return;
	}
	push_waiting(t);
	x86_move(t->code, X86_RSI, translation_read(t, r, X86_RSI));
	push_integer(t, isa_c(i));
	/* Once something was made, what follows it cannot be all that there is. */
	t->tuple.part[t->tuple.n++] = (struct tuple_part){{KNOWN_NOTHING, 0}, 0};
	t->tuple.pushed = t->tuple.n;
}

/* Two: with all integers they fit, as long as routine_takes_string(). */
static void push_string(struct translation *t, insn_t i)
{
	const struct known_value *v = &t->known[isa_a(i)];

	if (++t->tuple.strings > 2 || !translation_is_string(t, isa_a(i)))
		translation_fail(t);
	else if (v->what == KNOWN_STRING &&
		 !routine_takes_string(program_string(
			 t->image, (uint32_t)(v->value - VM_ADDR_IMAGE))))
		translation_fail(t);
	else
		wait(t, v, 0);
}

/* The update by the instruction, cached at the place unless that is 0. */
static void call_update(struct translation *t, insn_t i, uint32_t place)
{
	translation_move(t, X86_RDX, isa_a(i));
	translation_move(t, X86_RCX, isa_b(i));
	x86_constant(t->code, X86_RSI, (uint32_t)isa_imm(i));
	x86_constant(t->code, X86_R8, place);
	translation_call(t, CALL_AT(aggregate));
}

/* The key as the tuple's bytes. */
static void make_key(struct translation *t)
{
	if (t->tuple.is_lone) {
		x86_load(t->code, X86_RAX, call_at(t, CALL_AT(tuple)));
		x86_store(t->code, (struct x86_mem){X86_RAX, 0}, X86_R9);
		t->tuple.end = 8;
	}
	push_waiting(t);
	set_end(t);
}

/* The code for the case that is expected is complete; what follows is for the other. */
static uint32_t otherwise(struct translation *t, const struct missed_jumps *missed)
{
	uint32_t done = x86_jump(t->code);

	for (uint32_t k = 0; k < missed->n; k++)
		x86_land(t->code, missed->jump[k]);
	return done;
}

/* Only as far as the elements are known. */
static bool is_light(struct translation *t, const struct missed_jumps *missed)
{
	if (!t->light.is_on)
		return false;
	if (!missed->n) {
		translation_fail(t);
		return true;
	}
	t->light.is_learner = true;
	light_exit_by(t, missed);
	return true;
}

static void aggregate(struct translation *t, insn_t i)
{
	const bool is_cached = t->tuple.is_lone || !t->tuple.pushed;
	const uint32_t place = update_place(t);
	struct missed_jumps missed = {.n = 0};
	uint32_t done = 0;

	if (is_cached) {
		if (!t->tuple.is_lone && !(t->light.is_on && update_is_first(t)))
			translation_load_id(t, X86_R9);
		update_cached(t, i, &missed);
	}
	if (is_light(t, &missed)) {
		light_commit(t);
		t->tuple.is_open = false;
		return;
	}
	if (missed.n) {
		done = otherwise(t, &missed);
		x86_store(t->code, call_at(t, CALL_AT(key)), X86_R9);
	}
	make_key(t);
	call_update(t, i, done ? place : 0);
	if (done)
		x86_land(t->code, done);
	t->tuple.is_open = false;
}

static bool is_integer(const struct translation *t, insn_t i)
{
	const struct program_var *v = program_var(t->image, (uint32_t)isa_imm(i));

	return v->value.kind == KIND_INT;
}

static bool is_own(const struct translation *t, insn_t i)
{
	const struct program_var *v = program_var(t->image, (uint32_t)isa_imm(i));

	return v->scope == SCOPE_SELF && !t->tuple.n;
}

/* In a light routine own.c has the code for variables of the thread. */
static bool is_light_own(struct translation *t, insn_t i)
{
	if (!is_integer(t, i))
		translation_fail(t);
	if (!t->light.is_on)
		return false;
	if (!is_own(t, i))
		translation_fail(t);
	t->tuple.is_open = isa_c(i);
	return true;
}

static void load(struct translation *t, insn_t i)
{
	struct missed_jumps missed = {.n = 0};
	uint32_t done = 0;

	if (is_light_own(t, i)) {
		own_load_light(t, i);
		return;
	}
	if (is_own(t, i)) {
		own_load(t, i, &missed);
		done = otherwise(t, &missed);
	}
	push_waiting(t);
	set_end(t);
	x86_constant(t->code, X86_RSI, (uint32_t)isa_imm(i));
	translation_call(t, CALL_AT(load));
	if (done)
		x86_land(t->code, done);
	translation_write(t, isa_a(i), X86_RAX);
	t->tuple.is_open = isa_c(i);
}

static void store(struct translation *t, insn_t i)
{
	struct missed_jumps missed = {.n = 0};
	uint32_t done = 0;

	if (is_light_own(t, i)) {
		own_store_light(t, i);
		return;
	}
	if (is_own(t, i)) {
		own_store(t, i, &missed);
		done = otherwise(t, &missed);
	}
	push_waiting(t);
	set_end(t);
	translation_move(t, X86_RDX, isa_a(i));
	x86_constant(t->code, X86_RSI, (uint32_t)isa_imm(i));
	translation_call(t, CALL_AT(store));
	if (done)
		x86_land(t->code, done);
	t->tuple.is_open = isa_c(i);
}

void translate_tuple(struct translation *t, insn_t i)
{
	switch ((int)isa_op(i)) {
	case OP_TUP:
		begin(t);
		break;
	case OP_TPI:
		push(t, i);
		break;
	case OP_TPS:
		push_string(t, i);
		break;
	case OP_AGGR:
		aggregate(t, i);
		break;
	case OP_LDD:
		load(t, i);
		break;
	case OP_STD:
		store(t, i);
		break;
	default:
		translation_fail(t);
	}
}
