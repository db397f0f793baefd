/* SPDX-License-Identifier: MIT */
/*
 * What the target has at the site: its registers by the elements of uregs[], integers in
 * its memory, and the fault of a variable that it has not there.
 *
 * A routine loads by a call. A light one loads itself, from the thread's stack above the
 * stack pointer's page, which is there: what lies elsewhere is an exit.
 */
#include "vm/native/translation.h"

#define PAGE UINT64_C(4096)

/* ---- registers ---- */

static const struct {
	enum x86_reg live;
	int32_t at; /* in struct regs */
} general[REGS_UREG_GENERAL] = {
	{X86_R15, offsetof(struct regs, r15)}, {X86_R14, offsetof(struct regs, r14)},
	{X86_R13, offsetof(struct regs, r13)}, {X86_R12, offsetof(struct regs, r12)},
	{X86_R11, offsetof(struct regs, r11)}, {X86_R10, offsetof(struct regs, r10)},
	{X86_R9, offsetof(struct regs, r9)},   {X86_R8, offsetof(struct regs, r8)},
	{X86_RDI, offsetof(struct regs, rdi)}, {X86_RSI, offsetof(struct regs, rsi)},
	{X86_RBP, offsetof(struct regs, rbp)}, {X86_RBX, offsetof(struct regs, rbx)},
	{X86_RDX, offsetof(struct regs, rdx)}, {X86_RCX, offsetof(struct regs, rcx)},
	{X86_RAX, offsetof(struct regs, rax)},
};

static void load_general(struct translation *t, unsigned r, uint64_t element)
{
	if (t->light.is_on) {
		variable_load_live(t, r, general[element].live);
		return;
	}
	x86_load(t->code, X86_RAX, call_at(t, CALL_AT(regs)));
	x86_load(t->code, X86_RAX, (struct x86_mem){X86_RAX, general[element].at});
	translation_write(t, r, X86_RAX);
}

/* rsp, and 8 with NATIVE_SITE_PUSHED. */
void target_load_sp(struct translation *t)
{
	const uint32_t pushed = 8;
	const uint8_t shift = 26;

	_Static_assert(NATIVE_SITE_PUSHED >> 26 == 8, "shift and pushed");
	if (t->light.is_on) {
		light_load_site(t);
		x86_move(t->code, X86_RCX, X86_RSP);
	} else {
		x86_load32(t->code, X86_RAX, call_at(t, CALL_AT(word) + 4));
		x86_load(t->code, X86_RCX, call_at(t, CALL_AT(regs)));
		x86_load(t->code, X86_RCX,
			 (struct x86_mem){X86_RCX, offsetof(struct regs, rsp)});
	}
	x86_shift_right32(t->code, X86_RAX, shift);
	x86_and32(t->code, X86_RAX, pushed);
	x86_alu(t->code, X86_ADD, X86_RAX, X86_RCX);
}

/* An element that is of the site. */
static bool is_spot(uint64_t element)
{
	return element == REGS_UREG_PC || element == REGS_UREG_PLACE;
}

static void load_register(struct translation *t, insn_t i)
{
	const struct known_value *index = &t->known[isa_b(i)];

	if (isa_imm(i) != BUILTIN_uregs || index->what != KNOWN_CONSTANT) {
		translation_fail(t);
	} else if (index->value < REGS_UREG_GENERAL) {
		load_general(t, isa_a(i), index->value);
	} else if (is_spot(index->value) && t->has_spot) {
		x86_load(t->code, X86_RAX,
			 index->value == REGS_UREG_PC ? call_at(t, CALL_AT(pc))
						      : call_at(t, CALL_AT(place)));
		translation_write(t, isa_a(i), X86_RAX);
	} else if (index->value == REGS_UREG_SP) {
		target_load_sp(t);
		translation_write(t, isa_a(i), X86_RAX);
	} else {
		translation_fail(t);
	}
}

/* ---- where the thread is ---- */

/* rax = the number of the site, rcx = its address. */
static void load_site(struct translation *t)
{
	if (!t->light.is_on) {
		x86_load(t->code, X86_RAX, call_at(t, CALL_AT(site)));
		x86_load(t->code, X86_RCX, call_at(t, CALL_AT(regs)));
		x86_load(t->code, X86_RCX,
			 (struct x86_mem){X86_RCX, offsetof(struct regs, rip)});
		return;
	}
	_Static_assert(NATIVE_SITE_BYTES == 16, "the index is scaled twice");
	x86_load(t->code, X86_RCX, call_at(t, LIGHT_AT(gate)));
	x86_load32(t->code, X86_RAX, (struct x86_mem){X86_RCX, NATIVE_GATE_SITE});
	x86_load(t->code, X86_RCX, (struct x86_mem){X86_RCX, NATIVE_GATE_SITES});
	x86_address(t->code, X86_RCX, (struct x86_mem){X86_RCX, 0},
		    (struct x86_index){X86_RAX, 3});
	x86_address(t->code, X86_RCX, (struct x86_mem){X86_RCX, 0},
		    (struct x86_index){X86_RAX, 3});
	x86_load(t->code, X86_RCX, (struct x86_mem){X86_RCX, 0});
}

static bool uses_spot(const struct translation *t, struct clause_list list)
{
	const insn_t *code = program_section(t->image, SECTION_CODE);

	for (uint32_t k = 0; k < list.n; k++) {
		const struct program_clause *clause =
			program_clause(t->image, list.clause[k]);

		for (uint32_t i = 1; i < clause->count; i++) {
			const insn_t *at = &code[clause->first + i];

			if (isa_op(*at) == OP_BIX && isa_op(at[-1]) == OP_LI &&
			    isa_imm(at[-1]) >= 0 && is_spot((uint64_t)isa_imm(at[-1])))
				return true;
		}
	}
	return false;
}

void target_find_spot(struct translation *t, struct clause_list list)
{
	if (!uses_spot(t, list))
		return;
	t->has_spot = true;
	load_site(t);
	_Static_assert(sizeof(struct native_spot) == 8, "the index is scaled");
	x86_load(t->code, X86_RDX, call_at(t, CALL_AT(spots)));
	x86_address(t->code, X86_RDX, (struct x86_mem){X86_RDX, 0},
		    (struct x86_index){X86_RAX, 3});
	x86_load_part(
		t->code, X86_RAX,
		(struct x86_mem){X86_RDX, (int32_t)offsetof(struct native_spot, pc)},
		sizeof(int32_t), true);
	x86_alu(t->code, X86_ADD, X86_RAX, X86_RCX);
	x86_store(t->code, call_at(t, CALL_AT(pc)), X86_RAX);
	x86_load32(t->code, X86_RAX,
		   (struct x86_mem){X86_RDX,
				    (int32_t)offsetof(struct native_spot, place)});
	x86_store(t->code, call_at(t, CALL_AT(place)), X86_RAX);
}

/* ---- faults ---- */

static void leave_clause(struct translation *t)
{
	if (t->njumps == JUMPS_MAX)
		translation_fail(t);
	else
		t->jumps[t->njumps++] =
			(struct waiting_jump){.to = t->end, .jump = x86_jump(t->code)};
}

/* Where a fault has written a record, the clauses that are left have run too. */
static uint64_t fault_place(const struct translation *t)
{
	return native_place(t->at, t->enabling) |
	       (t->records ? NATIVE_PLACE_RECORDS : 0);
}

/* rdx is not NATIVE_GOES_ON. */
static void leave_by_fault(struct translation *t)
{
	if (t->records) {
		translation_stop(t, x86_jump(t->code));
		return;
	}
	x86_compare32(t->code, X86_RDX, NATIVE_FIRING_ENDS);
	translation_stop(t, x86_jump_if(t->code, X86_EQUAL));
	leave_clause(t);
}

static void fail(struct translation *t, insn_t i)
{
	if (t->light.is_on || isa_imm(i) != SUBR_local_gone) {
		translation_fail(t);
		return;
	}
	x86_constant(t->code, X86_RSI, fault_place(t));
	x86_constant(t->code, X86_RDX, FAULT_NOLOCAL);
	translation_call(t, CALL_AT(fail));
	x86_move(t->code, X86_RDX, X86_RAX);
	leave_by_fault(t);
	t->known[isa_a(i)] = (struct known_value){KNOWN_NOTHING, 0};
}

/* ---- memory ---- */

static void load_by_call(struct translation *t, insn_t i)
{
	uint32_t is_loaded;

	translation_move(t, X86_RSI, isa_b(i));
	if (isa_imm(i))
		x86_add_constant(t->code, X86_RSI, X86_RSI, isa_imm(i));
	x86_constant(t->code, X86_RDX, isa_c(i));
	x86_constant(t->code, X86_RCX, fault_place(t));
	translation_call(t, CALL_AT(read));
	x86_alu(t->code, X86_TEST, X86_RDX, X86_RDX);
	is_loaded = x86_jump_if(t->code, X86_EQUAL);
	leave_by_fault(t);
	x86_land(t->code, is_loaded);
	translation_write(t, isa_a(i), X86_RAX);
}

static void exit_if(struct translation *t, enum x86_condition condition)
{
	const struct missed_jumps missed = {{x86_jump_if(t->code, condition)}, 1};

	light_exit_by(t, &missed);
}

/* Goes on only if the size bytes at rax are the stack's; rcx and rdx change. */
static void check_stack(struct translation *t, unsigned size)
{
	x86_load(t->code, X86_RCX, call_at(t, LIGHT_AT(gate)));
	x86_alu_from(t->code, X86_CMP, X86_RSP,
		     (struct x86_mem){X86_RCX, NATIVE_GATE_STACK_LO});
	exit_if(t, X86_BELOW);
	x86_load(t->code, X86_RDX, (struct x86_mem){X86_RCX, NATIVE_GATE_STACK_HI});
	x86_alu(t->code, X86_CMP, X86_RSP, X86_RDX);
	exit_if(t, X86_NOT_BELOW);
	x86_add_constant(t->code, X86_RDX, X86_RDX, 1 - (int32_t)size);
	x86_alu(t->code, X86_CMP, X86_RAX, X86_RDX);
	exit_if(t, X86_NOT_BELOW);
	x86_constant(t->code, X86_RCX, ~(PAGE - 1));
	x86_alu(t->code, X86_AND, X86_RCX, X86_RSP);
	x86_alu(t->code, X86_CMP, X86_RAX, X86_RCX);
	exit_if(t, X86_BELOW);
}

void target_load_stack(struct translation *t, unsigned size, bool is_signed)
{
	check_stack(t, size);
	x86_load_part(t->code, X86_RAX, (struct x86_mem){X86_RAX, 0}, size, is_signed);
}

static void load_light(struct translation *t, insn_t i)
{
	const unsigned size = isa_c(i) & ~(unsigned)ISA_SIGNED;

	translation_move(t, X86_RAX, isa_b(i));
	if (isa_imm(i))
		x86_add_constant(t->code, X86_RAX, X86_RAX, isa_imm(i));
	target_load_stack(t, size, (isa_c(i) & ISA_SIGNED) != 0);
	translation_write(t, isa_a(i), X86_RAX);
}

void translate_target(struct translation *t, insn_t i)
{
	if (isa_op(i) == OP_BIX)
		load_register(t, i);
	else if (isa_op(i) == OP_CALL)
		fail(t, i);
	else if (t->light.is_on)
		load_light(t, i);
	else
		load_by_call(t, i);
}
