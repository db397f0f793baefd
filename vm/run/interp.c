/* SPDX-License-Identifier: MIT */
/*
 * The loop. The verifier has proved everything about the code (fields in
 * range, forward jumps, registers set before use, tuples balanced), so only
 * what depends on values is looked at here.
 */
#include "vm/run/firing.h"
#include "vm/agg/shard.h"

static enum fault divide(enum isa_op op, uint64_t x, uint64_t y, uint64_t *out)
{
	if (y == 0)
		return FAULT_DIVZERO;
	if (op == OP_DIVU)
		*out = x / y;
	else if (op == OP_REMU)
		*out = x % y;
	else if (y == UINT64_MAX) /* INT64_MIN / -1 traps in hardware */
		*out = op == OP_DIVS ? 0 - x : 0;
	else if (op == OP_DIVS)
		*out = (uint64_t)((int64_t)x / (int64_t)y);
	else
		*out = (uint64_t)((int64_t)x % (int64_t)y);
	return FAULT_NONE;
}

static uint64_t narrow(uint64_t v, unsigned size, bool is_signed)
{
	unsigned shift = 64 - 8 * size;

	v <<= shift;
	return is_signed ? (uint64_t)((int64_t)v >> shift) : v >> shift;
}

static enum fault call(struct firing *f, uint32_t subr, const uint64_t *args,
		       unsigned n, uint64_t *out)
{
	switch (subr) {
#define SUBR(name, result, proto, least, most, contexts, flags)                        \
	case SUBR_##name:                                                              \
		return subr_##name(f, args, n, out);
#include "vm/subr.def"
#undef SUBR
	default:
		return FAULT_ILLOP;
	}
}

static void aggregate(struct firing *f, uint32_t agg, uint64_t value, uint64_t incr)
{
	struct shard h = shard_of(f->vm->state, f->vm->slot);
	struct agg_sample x = {value, incr};
	uint32_t size;
	const void *tuple = tuple_top(f, &size);
	struct agg_key k = agg_key_of(agg, tuple, size);

	if (!agg_update(&h, program_agg(f->vm->image, agg), &k, &x, &f->counted_at))
		layout_count(&f->slot->drops.aggs);
	tuple_pop(f);
}

/* A tuple is kept for another use when the instruction says so. */
static void done_with_tuple(struct firing *f, unsigned keep)
{
	if (!keep)
		tuple_pop(f);
}

enum fault interp_run(struct firing *f, const struct program_clause *clause)
{
	const void *image = f->vm->image;
	const insn_t *code = program_section(image, SECTION_CODE);
	const insn_t *pc = code + clause->first;
	const uint64_t *constants = program_section(image, SECTION_CONST);
	enum fault fault = FAULT_NONE;
	uint64_t r[ISA_REGS], result;

	f->depth = 0;
	f->tuple_end = 0;
	for (;;) {
		insn_t i = *pc++;
		unsigned a = isa_a(i), b = isa_b(i), c = isa_c(i);
		int32_t imm = isa_imm(i);

		switch ((enum isa_op)isa_op(i)) {
		case OP_END:
			return FAULT_NONE;
		case OP_LI:
			r[a] = (uint64_t)(int64_t)imm;
			break;
		case OP_LC:
			r[a] = constants[imm];
			break;
		case OP_LS:
			r[a] = VM_ADDR_IMAGE + (uint32_t)imm;
			break;
		case OP_MOV:
			r[a] = r[b];
			break;
		case OP_ADD:
			r[a] = r[b] + r[c];
			break;
		case OP_SUB:
			r[a] = r[b] - r[c];
			break;
		case OP_MUL:
			r[a] = r[b] * r[c];
			break;
		case OP_DIVS:
		case OP_DIVU:
		case OP_REMS:
		case OP_REMU:
			fault = divide((enum isa_op)isa_op(i), r[b], r[c], &r[a]);
			break;
		case OP_AND:
			r[a] = r[b] & r[c];
			break;
		case OP_OR:
			r[a] = r[b] | r[c];
			break;
		case OP_XOR:
			r[a] = r[b] ^ r[c];
			break;
		case OP_SHL:
			r[a] = r[b] << (r[c] & 63);
			break;
		case OP_SHR:
			r[a] = r[b] >> (r[c] & 63);
			break;
		case OP_SAR:
			r[a] = (uint64_t)((int64_t)r[b] >> (r[c] & 63));
			break;
		case OP_ADDI:
			r[a] = r[b] + (uint64_t)(int64_t)imm;
			break;
		case OP_NEG:
			r[a] = 0 - r[b];
			break;
		case OP_NOT:
			r[a] = ~r[b];
			break;
		case OP_LNOT:
			r[a] = !r[b];
			break;
		case OP_EXTS:
			r[a] = narrow(r[b], c, true);
			break;
		case OP_EXTU:
			r[a] = narrow(r[b], c, false);
			break;
		case OP_SEQ:
			r[a] = r[b] == r[c];
			break;
		case OP_SNE:
			r[a] = r[b] != r[c];
			break;
		case OP_SLTS:
			r[a] = (int64_t)r[b] < (int64_t)r[c];
			break;
		case OP_SLES:
			r[a] = (int64_t)r[b] <= (int64_t)r[c];
			break;
		case OP_SLTU:
			r[a] = r[b] < r[c];
			break;
		case OP_SLEU:
			r[a] = r[b] <= r[c];
			break;
		case OP_SCMP:
			fault = memory_compare(f, r[b], r[c], &r[a]);
			break;
		case OP_JMP:
			pc += imm;
			break;
		case OP_JZ:
			pc += r[a] == 0 ? imm : 0;
			break;
		case OP_JNZ:
			pc += r[a] != 0 ? imm : 0;
			break;
		case OP_LD:
			fault = memory_load(f, r[b] + (uint64_t)(int64_t)imm, c, &r[a]);
			break;
		case OP_ST:
			fault = memory_store(f, r[a] + (uint64_t)(int64_t)imm, c, r[b]);
			break;
		case OP_ULD:
			fault = memory_load_target(f, r[b] + (uint64_t)(int64_t)imm, c,
						   &r[a]);
			break;
		case OP_MCPY:
			fault = memory_copy(f, r[a], r[b], (uint32_t)imm);
			break;
		case OP_SCPY:
			fault = memory_copy_string(f, r[a], r[b], (uint32_t)imm);
			break;
		case OP_SARR:
			fault = memory_array_string(f, r[b], (uint32_t)imm, &r[a]);
			break;
		case OP_SRW:
			fault = memory_string_room(f, r[b], r[c], &r[a]);
			break;
		case OP_BI:
			fault = builtin_load(f, (uint32_t)imm, &r[a]);
			break;
		case OP_BIX:
			fault = builtin_load_indexed(f, (uint32_t)imm, r[b], &r[a]);
			break;
		case OP_LDG:
			fault = vars_load(f, program_var(image, (uint32_t)imm), &r[a]);
			break;
		case OP_STG:
			fault = vars_store(f, program_var(image, (uint32_t)imm), r[a]);
			break;
		case OP_LDGA:
			r[a] = object_address((uint32_t)imm);
			break;
		case OP_LDT:
			fault = vars_load_local(f, program_var(image, (uint32_t)imm),
						&r[a]);
			break;
		case OP_STT:
			fault = vars_store_local(f, program_var(image, (uint32_t)imm),
						 r[a]);
			break;
		case OP_LDGP:
			fault = vars_load_subobject(f,
						    program_var(image, (uint32_t)imm),
						    (struct subobject){r[b], c}, &r[a]);
			break;
		case OP_STGP:
			fault = vars_store_subobject(f,
						     program_var(image, (uint32_t)imm),
						     (struct subobject){r[b], c}, r[a]);
			break;
		case OP_TUP:
			f->tuple_start[f->depth++] = f->tuple_end;
			break;
		case OP_TPI:
			fault = tuple_push_int(f, r[a], c);
			break;
		case OP_TPS:
			fault = tuple_push_string(f, r[a]);
			break;
		case OP_TPB:
			fault = tuple_push_bytes(f, r[a], (uint32_t)imm);
			break;
		case OP_LDD:
			fault = dynvar_load(f, (uint32_t)imm, &r[a]);
			done_with_tuple(f, c);
			break;
		case OP_STD:
			fault = dynvar_store(f, (uint32_t)imm, r[a]);
			done_with_tuple(f, c);
			break;
		case OP_LDDA:
			dynvar_address(f, (uint32_t)imm, &r[a]);
			tuple_pop(f);
			break;
		case OP_LDDP:
			fault = dynvar_load_subobject(
				f, (uint32_t)imm, (struct subobject){r[b], c}, &r[a]);
			tuple_pop(f);
			break;
		case OP_STDP:
			fault = dynvar_store_subobject(
				f, (uint32_t)imm, (struct subobject){r[b], c}, r[a]);
			tuple_pop(f);
			break;
		case OP_AGGR:
			aggregate(f, (uint32_t)imm, r[a], r[b]);
			break;
		case OP_REC:
			if (!record_action(f, (uint32_t)imm))
				return FAULT_NONE;
			tuple_pop(f);
			break;
		case OP_RECE:
			if (!record_begin(f))
				return FAULT_NONE;
			break;
		case OP_CALL:
			result = 0;
			fault = call(f, (uint32_t)imm, &r[b], c, &result);
			r[a] = result;
			break;
		case OP_STOP:
			firing_stop(f);
			break;
		default:
			fault = FAULT_ILLOP;
		}
		if (fault != FAULT_NONE) {
			f->pc = (uint32_t)(pc - code) - 1;
			return fault;
		}
	}
}
