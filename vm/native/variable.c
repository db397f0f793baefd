/* SPDX-License-Identifier: MIT */
/* Built-in variables, globals and clause-locals of integer type. */
#include "vm/native/translation.h"

/* System V ABI, AMD64 supplement, 3.2.3: where arguments and results are. */
static const int32_t argument_at[REGS_ARGS] = {
	offsetof(struct regs, rdi), offsetof(struct regs, rsi),
	offsetof(struct regs, rdx), offsetof(struct regs, rcx),
	offsetof(struct regs, r8),  offsetof(struct regs, r9),
};
static const int32_t result_at[REGS_RESULTS] = {
	offsetof(struct regs, rax),
	offsetof(struct regs, rdx),
};

static void load_field(struct translation *t, unsigned r, int32_t at)
{
	x86_load(t->code, X86_RAX, call_at(t, at));
	translation_write(t, r, X86_RAX);
}

static void load_saved(struct translation *t, unsigned r, int32_t at)
{
	x86_load(t->code, X86_RAX, call_at(t, CALL_AT(regs)));
	x86_load(t->code, X86_RAX, (struct x86_mem){X86_RAX, at});
	translation_write(t, r, X86_RAX);
}

/* By hardware number. */
static const enum x86_reg argument_in[REGS_ARGS] = {X86_RDI, X86_RSI, X86_RDX,
						    X86_RCX, X86_R8,  X86_R9};
static const enum x86_reg result_in[REGS_RESULTS] = {X86_RAX, X86_RDX};

enum x86_reg variable_live(struct translation *t, enum x86_reg from, enum x86_reg spare)
{
	if (from == X86_RDI || from > X86_R13) /* light routines write no such */
		return from;
	if (from == X86_RAX || from == X86_RCX) {
		const int32_t at = from == X86_RAX ? NATIVE_GATE_RAX : NATIVE_GATE_RCX;

		x86_load(t->code, spare, call_at(t, LIGHT_AT(gate)));
		x86_load(t->code, spare, (struct x86_mem){spare, at});
		return spare;
	}
	t->code->written |= UINT32_C(1) << from; /* it is saved */
	x86_load(
		t->code, spare,
		call_at(t, LIGHT_AT(saved) + ((int32_t)from - NATIVE_FIRST_SAVED) * 8));
	return spare;
}

void variable_load_live(struct translation *t, unsigned r, enum x86_reg from)
{
	translation_write(t, r, variable_live(t, from, X86_RAX));
}

static void load_live_argument(struct translation *t, unsigned r, uint32_t index)
{
	const bool is_return = t->site == NATIVE_AT_RETURN;

	if (t->site == NATIVE_AT_NOTE) {
		operand_load_argument(t, r, index);
	} else if (!is_return && index < REGS_ARGS) {
		variable_load_live(t, r, argument_in[index]);
	} else if (is_return && index == 0) {
		light_load_site(t);
		x86_load32(t->code, X86_RAX, (struct x86_mem){X86_RCX, 0});
		translation_write(t, r, X86_RAX);
	} else if (is_return && index <= REGS_RESULTS) {
		variable_load_live(t, r, result_in[index - 1]);
	} else {
		translation_fail(t);
	}
}

static void load_argument(struct translation *t, unsigned r, uint32_t index)
{
	const bool is_return = t->site == NATIVE_AT_RETURN;

	if (t->light.is_on)
		load_live_argument(t, r, index);
	else if (t->site == NATIVE_AT_NOTE)
		load_field(t, r, CALL_AT(args) + (int32_t)(index * sizeof(uint64_t)));
	else if (!is_return && index < REGS_ARGS)
		load_saved(t, r, argument_at[index]);
	else if (is_return && index == 0)
		load_field(t, r, CALL_AT(arg0));
	else if (is_return && index <= REGS_RESULTS)
		load_saved(t, r, result_at[index - 1]);
	else
		translation_fail(t);
}

static void load_id(struct translation *t, unsigned r)
{
	translation_load_id(t, X86_RAX);
	translation_write(t, r, X86_RAX);
}

/* enablings[probe->first_enabling + the clause's number].epid */
static void load_epid(struct translation *t, unsigned r)
{
	int32_t at = (int32_t)(t->enabling * sizeof(struct vm_enabling) +
			       offsetof(struct vm_enabling, epid));

	_Static_assert(sizeof(struct vm_enabling) == 8, "the index is scaled by 8");
	if (t->light.is_on)
		translation_fail(t);
	x86_load(t->code, X86_RAX, call_at(t, CALL_AT(probe)));
	x86_load32(
		t->code, X86_RAX,
		(struct x86_mem){X86_RAX, offsetof(struct vm_probe, first_enabling)});
	x86_load(t->code, X86_RCX, call_at(t, CALL_AT(enablings)));
	x86_address(t->code, X86_RAX, (struct x86_mem){X86_RCX, at},
		    (struct x86_index){X86_RAX, 3});
	x86_load32(t->code, X86_RAX, (struct x86_mem){X86_RAX, 0});
	translation_write(t, r, X86_RAX);
}

/* The answer is the same for all of the firing. */
static void ask(struct translation *t, unsigned r, uint32_t id)
{
	if (t->light.is_on && id == BUILTIN_timestamp) {
		light_load_time(t);
	} else {
		x86_constant(t->code, X86_RSI, id);
		translation_call(t, CALL_AT(builtin));
	}
	translation_write(t, r, X86_RAX);
}

static void load_builtin(struct translation *t, unsigned r, uint32_t id)
{
	if (id - BUILTIN_arg0 <= BUILTIN_arg9 - BUILTIN_arg0) {
		load_argument(t, r, id - BUILTIN_arg0);
		return;
	}
	if (native_once(id) < NATIVE_ONCE) {
		ask(t, r, id);
		return;
	}
	switch ((int)id) {
	case BUILTIN_probeprov:
	case BUILTIN_probemod:
	case BUILTIN_probefunc:
	case BUILTIN_probename:
		t->known[r] = (struct known_value){KNOWN_NAME, id};
		break;
	case BUILTIN_id:
		load_id(t, r);
		break;
	case BUILTIN_epid:
		load_epid(t, r);
		break;
	case BUILTIN_pid:
		load_field(t, r, CALL_AT(pid));
		break;
	case BUILTIN_tid:
		load_field(t, r, CALL_AT(tid));
		break;
	case BUILTIN_uid:
		load_field(t, r, CALL_AT(uid));
		break;
	case BUILTIN_gid:
		load_field(t, r, CALL_AT(gid));
		break;
	default:
		translation_fail(t);
	}
}

/* Where the variable is: base is loaded with the beginning of its area. */
static struct x86_mem place_of(struct translation *t, insn_t i, bool is_global)
{
	const struct program_var *v = program_var(t->image, (uint32_t)isa_imm(i));

	if (v->value.kind != KIND_INT || v->storage > INT32_MAX / 8)
		translation_fail(t);
	x86_load(t->code, X86_RCX,
		 call_at(t, is_global ? CALL_AT(globals) : CALL_AT(locals)));
	return (struct x86_mem){X86_RCX,
				(int32_t)(is_global ? v->storage : v->storage * 8)};
}

void translate_variable(struct translation *t, insn_t i)
{
	unsigned op = isa_op(i);
	struct x86_mem place;

	if (op == OP_BI) {
		load_builtin(t, isa_a(i), (uint32_t)isa_imm(i));
		return;
	}
	if (op == OP_LS) {
		t->known[isa_a(i)] = (struct known_value){
			KNOWN_STRING, VM_ADDR_IMAGE + (uint32_t)isa_imm(i)};
		return;
	}
	place = place_of(t, i, op == OP_LDG || op == OP_STG);
	if (op == OP_LDG || op == OP_LDT) {
		x86_load(t->code, X86_RAX, place);
		translation_write(t, isa_a(i), X86_RAX);
	} else {
		x86_store(t->code, place, translation_read(t, isa_a(i), X86_RAX));
		if (op == OP_STG)
			light_commit(t);
	}
}
