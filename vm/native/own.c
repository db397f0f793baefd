/* SPDX-License-Identifier: MIT */
/*
 * self-> variables of integer type, whose elements stay in place until their thread
 * ends (vm/run/own_cell.h). Code finds the element in native_call.own; while that does
 * not have it, a call does, or the light routine ends unfinished.
 *
 * An element that is 0 does not count against dynvarsize. Where the value begins or
 * ceases to be 0, light code moves its room from what the slot has spare, and back.
 */
#include "vm/native/translation.h"
#include "vm/run/cell.h"

#define OWN_AT(field) ((struct x86_mem){X86_RAX, (int32_t)offsetof(struct cell, field)})
#define SPARE_AT(base)                                                                 \
	((struct x86_mem){base, (int32_t)offsetof(struct slot, spare_nominal)})

static void miss(struct missed_jumps *missed, uint32_t jump)
{
	missed->jump[missed->n++] = jump;
}

static struct x86_mem address_of(const struct translation *t, uint32_t var)
{
	return call_at(t,
		       CALL_AT(own) + (int32_t)(var % NATIVE_OWN * sizeof(uint64_t)));
}

/* rax = the element of the variable, if it is known. */
static void find(struct translation *t, uint32_t var, struct missed_jumps *missed)
{
	x86_load(t->code, X86_RAX, address_of(t, var));
	if (t->light.owned[var % NATIVE_OWN] == var + 1)
		return;
	x86_alu(t->code, X86_TEST, X86_RAX, X86_RAX);
	miss(missed, x86_jump_if(t->code, X86_EQUAL));
	x86_load32(t->code, X86_RCX, OWN_AT(u.head.var));
	x86_compare32(t->code, X86_RCX, var);
	miss(missed, x86_jump_if(t->code, X86_NOT_EQUAL));
}

void own_load(struct translation *t, insn_t i, struct missed_jumps *missed)
{
	find(t, (uint32_t)isa_imm(i), missed);
	x86_load(t->code, X86_RAX, OWN_AT(u.head.data));
}

/* In place if the variable is set before and after. */
void own_store(struct translation *t, insn_t i, struct missed_jumps *missed)
{
	find(t, (uint32_t)isa_imm(i), missed);
	translation_move(t, X86_RDX, isa_a(i));
	x86_alu(t->code, X86_TEST, X86_RDX, X86_RDX);
	miss(missed, x86_jump_if(t->code, X86_EQUAL));
	x86_load(t->code, X86_RCX, OWN_AT(u.head.data));
	x86_alu(t->code, X86_TEST, X86_RCX, X86_RCX);
	miss(missed, x86_jump_if(t->code, X86_EQUAL));
	x86_store(t->code, OWN_AT(u.head.data), X86_RDX);
}

/* ---- light routines ---- */

/* rax = the element, which is known from here to where another path joins. */
static void find_light(struct translation *t, uint32_t var)
{
	struct missed_jumps missed = {.n = 0};

	t->light.is_learner = true;
	find(t, var, &missed);
	light_exit_by(t, &missed);
	t->light.owned[var % NATIVE_OWN] = var + 1;
}

void own_load_light(struct translation *t, insn_t i)
{
	find_light(t, (uint32_t)isa_imm(i));
	x86_load(t->code, X86_RAX, OWN_AT(u.head.data));
	translation_write(t, isa_a(i), X86_RAX);
}

/*
 * From what the slot has spare; an exit if that is not enough. It is rare, so it writes
 * no register that would have to be saved for it.
 */
static void take_room(struct translation *t, uint32_t var)
{
	struct missed_jumps missed = {.n = 1};

	x86_load(t->code, X86_RCX, call_at(t, CALL_AT(slot)));
	x86_constant(t->code, X86_RAX, program_var(t->image, var)->nominal);
	x86_alu_from(t->code, X86_CMP, X86_RAX, SPARE_AT(X86_RCX));
	missed.jump[0] = x86_jump_if(t->code, X86_ABOVE);
	light_exit_by(t, &missed);
	x86_alu_to(t->code, X86_SUB, SPARE_AT(X86_RCX), X86_RAX);
	x86_load(t->code, X86_RAX, address_of(t, var));
}

/* To what the slot has spare, or to all when that is much; rax changes. */
static void give_room(struct translation *t, uint64_t nominal)
{
	uint32_t much, end;

	x86_load(t->code, X86_RCX, call_at(t, CALL_AT(slot)));
	x86_constant(t->code, X86_RAX, nominal);
	x86_alu_from(t->code, X86_ADD, X86_RAX, SPARE_AT(X86_RCX));
	x86_alu_from(t->code, X86_CMP, X86_RAX, call_at(t, CALL_AT(spare_most)));
	much = x86_jump_if(t->code, X86_ABOVE);
	x86_store(t->code, SPARE_AT(X86_RCX), X86_RAX);
	end = x86_jump(t->code);
	x86_land(t->code, much);
	x86_load(t->code, X86_RCX, call_at(t, CALL_AT(nominal)));
	x86_constant(t->code, X86_RAX, 0 - nominal);
	x86_add_locked(t->code, (struct x86_mem){X86_RCX, 0}, X86_RAX);
	x86_land(t->code, end);
}

/* rax = the element. */
static void store_zero(struct translation *t, uint64_t nominal)
{
	uint32_t is_zero;

	x86_load(t->code, X86_RCX, OWN_AT(u.head.data));
	x86_alu(t->code, X86_TEST, X86_RCX, X86_RCX);
	is_zero = x86_jump_if(t->code, X86_EQUAL);
	x86_store_constant(t->code, OWN_AT(u.head.data), 0);
	give_room(t, nominal);
	x86_land(t->code, is_zero);
}

/* A value that happens to be 0 is an exit. */
static void store_value(struct translation *t, unsigned r, uint32_t var)
{
	struct missed_jumps missed = {.n = 1};
	uint32_t is_set;

	translation_move(t, X86_RDX, r);
	x86_alu(t->code, X86_TEST, X86_RDX, X86_RDX);
	missed.jump[0] = x86_jump_if(t->code, X86_EQUAL);
	light_exit_by(t, &missed);
	x86_load(t->code, X86_RCX, OWN_AT(u.head.data));
	x86_alu(t->code, X86_TEST, X86_RCX, X86_RCX);
	is_set = x86_jump_if(t->code, X86_NOT_EQUAL);
	take_room(t, var);
	x86_land(t->code, is_set);
	x86_store(t->code, OWN_AT(u.head.data), X86_RDX);
}

void own_store_light(struct translation *t, insn_t i)
{
	const uint32_t var = (uint32_t)isa_imm(i);
	const struct known_value *value = &t->known[isa_a(i)];

	find_light(t, var);
	if (value->what == KNOWN_CONSTANT && !value->value)
		store_zero(t, program_var(t->image, var)->nominal);
	else
		store_value(t, isa_a(i), var);
	light_commit(t);
}
