/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/vm_everything.h"

void build_everything_tables(struct builder *b)
{
	static const uint64_t params[AGG_COUNT_OF] = {
		[AGG_lquantize] = EV_LQUANT,
		[AGG_llquantize] = EV_LLQUANT,
	};

	b->n[SECTION_FIELD] = 0;
	build_var(b, SCOPE_GLOBAL, field_int(4, true), 0);
	build_var(b, SCOPE_GLOBAL, field_string(256), 0);
	build_var(b, SCOPE_GLOBAL, field_bytes(12), 0);
	build_var(b, SCOPE_THIS, field_int(8, true), 0);
	build_var(b, SCOPE_SELF, field_int(8, false), 0);
	build_field(b, field_int(4, true));
	build_field(b, field_string(256));
	build_var(b, SCOPE_ARRAY, field_int(8, true), 2);
	build_field(b, field_bytes(12));
	build_var(b, SCOPE_SELF_ARRAY, field_bytes(12), 1);
	build_var(b, SCOPE_SELF, field_string(256), 0);
	build_var(b, SCOPE_SELF, field_bytes(12), 0);
	build_field(b, field_string(256));
	for (uint32_t f = 0; f < AGG_COUNT_OF; f++)
		build_agg(b, (enum agg_func)f, params[f],
			  agg_words((enum agg_func)f, params[f]),
			  f == AGG_count ? 1 : 0);
	for (uint32_t i = 0; i < AGG_COUNT_OF; i++)
		b->operands[b->n[SECTION_OPERAND]++] = i;
	build_field(b, field_int(2, true));
	build_action(b, ACTION_trace, 1);
	build_field(b, field_int(8, true));
	build_field(b, field_string(256));
	build_field(b, field_bytes(12));
	b->actions[build_action(b, ACTION_printf, 3)].text =
		build_string(b, "%d \"%s\"\n");
	b->actions[build_action(b, ACTION_printa, 0)].noperands = AGG_COUNT_OF;
	build_field(b, field_int(4, true));
	build_action(b, ACTION_exit, 1);
	b->actions[build_action(b, ACTION_clear, 0)].noperands = 1;
	b->actions[build_action(b, ACTION_trunc, 0)].noperands = 1;
}

/* Arithmetic and memory, nothing recorded. */
static void build_everything_computing(struct builder *b)
{
	const uint32_t big = build_constant(b, UINT64_C(0x123456789abcdef));
	const uint32_t base = build_constant(b, WORLD_BASE);
	const uint32_t text = build_string(b, "hello");
	const insn_t code[] = {
		I(LI, 0, 0, 0, -7),
		I(LC, 1, 0, 0, big),
		I(LS, 2, 0, 0, text),
		I(MOV, 3, 0, 0, 0),
		I(ADD, 4, 0, 1, 0),
		I(SUB, 4, 0, 1, 0),
		I(MUL, 4, 0, 1, 0),
		I(DIVS, 4, 0, 1, 0),
		I(DIVU, 4, 0, 1, 0),
		I(REMS, 4, 0, 1, 0),
		I(REMU, 4, 0, 1, 0),
		I(AND, 4, 0, 1, 0),
		I(OR, 4, 0, 1, 0),
		I(XOR, 4, 0, 1, 0),
		I(SHL, 4, 0, 1, 0),
		I(SHR, 4, 0, 1, 0),
		I(SAR, 4, 0, 1, 0),
		I(ADDI, 4, 0, 0, 100),
		I(NEG, 4, 0, 0, 0),
		I(NOT, 4, 0, 0, 0),
		I(LNOT, 4, 0, 0, 0),
		I(EXTS, 4, 0, 2, 0),
		I(EXTU, 4, 0, 4, 0),
		I(SEQ, 5, 0, 1, 0),
		I(SNE, 5, 0, 1, 0),
		I(SLTS, 5, 0, 1, 0),
		I(SLES, 5, 0, 1, 0),
		I(SLTU, 5, 0, 1, 0),
		I(SLEU, 5, 0, 1, 0),
		I(SCMP, 5, 2, 2, 0),
		I(JZ, 5, 0, 0, 1),
		I(JMP, 0, 0, 0, 1),
		I(JNZ, 5, 0, 0, 0),
		I(LC, 6, 0, 0, base),
		I(LI, 7, 0, 0, 32),
		I(CALL, 8, 6, 2, SUBR_copyin),
		I(ST, 8, 1, 8, 16),
		I(LD, 9, 8, 8, 16),
		I(ULD, 9, 6, 4 | ISA_SIGNED, 4),
		I(CALL, 10, 6, 2, SUBR_copyinstr),
		I(CALL, 11, 10, 1, SUBR_strlen),
		I(BI, 12, 0, 0, BUILTIN_arg0),
		I(LI, 13, 0, 0, 3),
		I(BIX, 12, 13, 0, BUILTIN_uregs),
		I(STG, 0, 0, 0, EV_GLOBAL_INT),
		I(LDG, 14, 0, 0, EV_GLOBAL_INT),
		I(STG, 10, 0, 0, EV_GLOBAL_STR),
		I(LDG, 14, 0, 0, EV_GLOBAL_STR),
		I(STG, 8, 0, 0, EV_GLOBAL_BYTES),
		I(LDG, 14, 0, 0, EV_GLOBAL_BYTES),
		I(MCPY, 8, 2, 0, 4),
		I(SCPY, 8, 2, 0, 16),
		I(SARR, 9, 8, 0, 8),
		I(LI, 13, 0, 0, 4),
		I(STGP, 0, 13, 8, EV_GLOBAL_BYTES),
		I(LDGP, 14, 13, 4 | ISA_SIGNED, EV_GLOBAL_BYTES),
		I(STT, 0, 0, 0, EV_THIS),
		I(LDT, 14, 0, 0, EV_THIS),
		I(END, 0, 0, 0, 0),
	};

	build_clause(b, code, ARRAY_LEN(code));
	build_stmt(b, 0, 0);
	build_stmt(b, 30, 1);
	build_stmt(b, 33, 2);
}

const struct everything_subr everything_subrs[SUBR_COUNT] = {
#define SUBR(name, result, proto, least, most, contexts, flags)                        \
	{#name, result, proto, least, most},
#include "vm/subr.def"
#undef SUBR
};

const char *everything_proto(uint32_t subr, uint32_t i)
{
	const char *p = everything_subrs[subr].proto;

	for (; i > 0; i--)
		p += strcspn(p, ",") + 2;
	return p;
}

int everything_int(uint32_t subr)
{
	switch (subr) {
	case SUBR_speculate:
	case SUBR_commit:
	case SUBR_discard:
		return 0; /* no speculation */
	case SUBR_link_ntop:
		return 1; /* Ethernet */
	default:
		return 2; /* a base, a family, a signal ... */
	}
}

/* Register r becomes what parameter i takes: r20 is scratch, r21 target memory. */
static insn_t everything_argument(uint32_t subr, uint32_t i, uint32_t r, uint32_t text)
{
	const char *proto = everything_proto(subr, i);
	size_t n = strcspn(proto, ",");

	if (strncmp(proto, "const char *", n) == 0 || strncmp(proto, "char *", n) == 0)
		return I(LS, r, 0, 0, text);
	if (strncmp(proto, "uintptr_t", n) == 0)
		return I(MOV, r, 21, 0, 0);
	if (strcspn(proto, "*") < n)
		return I(MOV, r, 20, 0, 0);
	return I(LI, r, 0, 0,
		 strncmp(proto, "size_t", n) == 0 ? 8 : everything_int(subr));
}

/* Every subroutine. */
static void build_everything_calling(struct builder *b)
{
	const uint32_t base = build_constant(b, WORLD_BASE);
	const uint32_t text = build_string(b, "[1, \"/a/b\"]");
	const insn_t begin[] = {
		I(LI, 20, 0, 0, 32),
		I(CALL, 20, 20, 1, SUBR_alloca),
		I(LC, 21, 0, 0, base),
	};
	uint32_t first = b->n[SECTION_CODE];

	build_clause(b, begin, ARRAY_LEN(begin));
	for (uint32_t s = 0; s < SUBR_COUNT; s++) {
		uint32_t most = everything_subrs[s].most;

		if (s == SUBR_local_gone) /* always a fault */
			continue;
		for (uint32_t i = 0; i < most; i++)
			build_insn(b, everything_argument(s, i, 8 + i, text));
		build_insn(b, I(CALL, 12, 8, most, s));
	}
	build_insn(b, I(END, 0, 0, 0, 0));
	b->clauses[b->n[SECTION_CLAUSE] - 1].count = b->n[SECTION_CODE] - first;
}

/* Parts of structs, and copies. */
static void build_everything_structs(struct builder *b)
{
	const uint32_t text = build_string(b, "struct and array");
	const insn_t code[] = {
		I(LI, 0, 0, 0, 32),
		I(CALL, 1, 0, 1, SUBR_alloca),
		I(LS, 2, 0, 0, text),
		I(MCPY, 1, 2, 0, 12),
		I(SCPY, 1, 2, 0, 8),
		I(SARR, 3, 1, 0, 8),
		I(STG, 1, 0, 0, EV_GLOBAL_BYTES),
		I(LI, 4, 0, 0, 4),
		I(LDGP, 5, 4, 4 | ISA_SIGNED, EV_GLOBAL_BYTES),
		I(STGP, 5, 4, 4, EV_GLOBAL_BYTES),
		I(TUP, 0, 0, 0, 0),
		I(TPB, 1, 0, 0, 12),
		I(STDP, 5, 4, 2, EV_SELF_ARRAY),
		I(TUP, 0, 0, 0, 0),
		I(TPB, 1, 0, 0, 12),
		I(LDDP, 6, 4, 2, EV_SELF_ARRAY),
		I(LDGA, 7, 0, 0, EV_GLOBAL_BYTES),
		I(ST, 7, 4, 4, 8),
		I(TUP, 0, 0, 0, 0),
		I(LDDA, 8, 0, 0, EV_SELF_BYTES),
		I(MCPY, 8, 7, 0, 12),
		I(SRW, 9, 2, 4, 0),
		I(ST, 9, 4, 1, 4),
		I(END, 0, 0, 0, 0),
	};

	build_clause(b, code, ARRAY_LEN(code));
}

static void build_everything_dynamic(struct builder *b)
{
	const uint32_t key = build_string(b, "key");
	const insn_t code[] = {
		I(LI, 0, 0, 0, 5),
		I(LS, 1, 0, 0, key),
		I(TUP, 0, 0, 0, 0),
		I(LDD, 2, 0, 1, EV_SELF),
		I(ADD, 2, 2, 0, 0),
		I(STD, 2, 0, 0, EV_SELF),
		I(TUP, 0, 0, 0, 0),
		I(TPI, 0, 0, 4, 0),
		I(TPS, 1, 0, 0, 0),
		I(STD, 0, 0, 1, EV_ARRAY),
		I(LDD, 2, 0, 0, EV_ARRAY),
		I(LDG, 3, 0, 0, EV_GLOBAL_BYTES),
		I(TUP, 0, 0, 0, 0),
		I(TPB, 3, 0, 0, 12),
		I(STD, 3, 0, 1, EV_SELF_ARRAY),
		I(LDD, 4, 0, 0, EV_SELF_ARRAY),
		I(LI, 4, 0, 0, 2),
		I(TUP, 0, 0, 0, 0),
		I(TPB, 3, 0, 0, 12),
		I(STDP, 0, 4, 2, EV_SELF_ARRAY),
		I(TUP, 0, 0, 0, 0),
		I(TPB, 3, 0, 0, 12),
		I(LDDP, 4, 4, 8, EV_SELF_ARRAY),
		I(TUP, 0, 0, 0, 0),
		I(STD, 1, 0, 1, EV_SELF_STR),
		I(LDD, 5, 0, 0, EV_SELF_STR),
		I(TUP, 0, 0, 0, 0),
		I(BI, 6, 0, 0, BUILTIN_execname),
		I(TPS, 6, 0, 0, 0),
		I(AGGR, 0, 0, 0, AGG_count),
		I(TUP, 0, 0, 0, 0),
		I(AGGR, 0, 0, 0, AGG_sum),
		I(TUP, 0, 0, 0, 0),
		I(AGGR, 0, 0, 0, AGG_min),
		I(TUP, 0, 0, 0, 0),
		I(AGGR, 0, 0, 0, AGG_max),
		I(TUP, 0, 0, 0, 0),
		I(AGGR, 0, 0, 0, AGG_avg),
		I(TUP, 0, 0, 0, 0),
		I(AGGR, 0, 0, 0, AGG_quantize),
		I(TUP, 0, 0, 0, 0),
		I(AGGR, 0, 0, 0, AGG_lquantize),
		I(END, 0, 0, 0, 0),
	};

	build_clause(b, code, ARRAY_LEN(code));
}

static void build_everything_recording(struct builder *b)
{
	const uint32_t text = build_string(b, "text");
	const insn_t code[] = {
		I(RECE, 0, 0, 0, 0),
		I(LI, 0, 0, 0, 5),
		I(TUP, 0, 0, 0, 0),
		I(TPI, 0, 0, 2, 0),
		I(REC, 0, 0, 0, 0),
		I(TUP, 0, 0, 0, 0),
		I(TPI, 0, 0, 8, 0),
		I(TUP, 0, 0, 0, 0), /* an array element as an argument */
		I(TPI, 0, 0, 4, 0),
		I(LS, 1, 0, 0, text),
		I(TPS, 1, 0, 0, 0),
		I(LDD, 2, 0, 0, EV_ARRAY),
		I(TPS, 1, 0, 0, 0),
		I(LDG, 3, 0, 0, EV_GLOBAL_BYTES),
		I(TPB, 3, 0, 0, 12),
		I(REC, 0, 0, 0, 1),
		I(TUP, 0, 0, 0, 0),
		I(REC, 0, 0, 0, 2),
		I(TUP, 0, 0, 0, 0),
		I(TPI, 0, 0, 4, 0),
		I(REC, 0, 0, 0, 3),
		I(TUP, 0, 0, 0, 0),
		I(REC, 0, 0, 0, 4),
		I(TUP, 0, 0, 0, 0),
		I(REC, 0, 0, 0, 5),
		I(STOP, 0, 0, 0, 0),
		I(END, 0, 0, 0, 0),
	};

	build_clause(b, code, ARRAY_LEN(code));
	b->clauses[b->n[SECTION_CLAUSE] - 1].flags = CLAUSE_RECORDS;
}

void *build_everything(size_t *size)
{
	struct builder *b = builder_new();

	build_everything_tables(b);
	build_everything_computing(b);
	build_everything_dynamic(b);
	build_everything_recording(b);
	build_everything_structs(b);
	build_everything_calling(b);
	return build_image(b, size);
}
