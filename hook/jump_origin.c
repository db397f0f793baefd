/* SPDX-License-Identifier: MIT */
/*
 * Follows the value of a jump's register back, by the instructions before it:
 *
 *	lea    table(%rip), %rdx	a sum of what the instruction names,
 *	movslq (%rdx,%rdi,4), %rax	and of 4 bytes that are loaded
 *	add    %rdx, %rax		a sum of rax and rdx
 *	jmp    *%rax
 */
#include "hook/jump_origin.h"

#include "disasm/disasm.h"

#define BACK_MAX 32 /* instructions */
#define WORD	 8

struct walk {
	const struct jump_code *code;
	uint64_t at;
	uint16_t wanted; /* registers that the address is of, a bit each */
	bool is_sum, has_distance, has_narrow, has_unknown;
	bool is_short; /* loaded as a whole, of less than 8 bytes */
	uint64_t label;
};

static bool is_insn(const struct jump_code *j, uint64_t pc)
{
	return j->insns[(pc - j->area) / 8] >> (pc - j->area) % 8 & 1;
}

/* To the instruction before, which runs on to the one at w->at. */
static bool step_back(struct walk *w)
{
	const struct jump_code *j = w->code;
	struct insn_brief in;

	for (uint64_t pc = w->at; pc > j->lo && w->at - pc < INSN_MAX;) {
		if (!is_insn(j, --pc))
			continue;
		if (decode_brief(j->bytes + (pc - j->lo), j->n - (pc - j->lo),
				 taddr_of(pc), &in) != 0 ||
		    pc + in.len != w->at || !insn_brief_falls_through(&in))
			return false;
		w->at = pc;
		return true;
	}
	return false;
}

static void note_load(struct walk *w, const struct insn_value *v)
{
	if (w->is_sum) {
		w->has_distance |= v->loaded >= 4;
		w->has_narrow |= v->loaded < 4;
	} else {
		w->is_short = v->loaded < WORD;
	}
}

static void note_value(struct walk *w, const struct insn_value *v)
{
	w->wanted |= v->from;
	switch (v->source) {
	case INSN_LOADS:
		note_load(w, v);
		break;
	case INSN_SUMS:
		w->is_sum = true;
		if (v->loaded)
			note_load(w, v);
		break;
	case INSN_NAMES:
		if (w->is_sum)
			w->label = v->target.v;
		break;
	default:
		w->has_unknown |= v->source == INSN_MAKES;
		break;
	}
}

static void read_insn(struct walk *w)
{
	const struct jump_code *j = w->code;
	const uint8_t *bytes = j->bytes + (w->at - j->lo);
	const size_t n = j->n - (size_t)(w->at - j->lo);
	const uint16_t wanted = w->wanted;
	struct insn_value v;

	for (unsigned reg = 0; reg < 16; reg++) {
		if (!(wanted >> reg & 1) ||
		    insn_value(bytes, n, taddr_of(w->at), reg, &v) != 0 ||
		    v.source == INSN_KEEPS)
			continue;
		if (!(v.from >> reg & 1))
			w->wanted &= (uint16_t) ~(1u << reg);
		note_value(w, &v);
	}
}

static enum jump_origin origin_of(const struct walk *w)
{
	if (w->has_narrow || w->is_short)
		return JUMP_COMPUTED;
	if (w->is_sum)
		return w->has_distance || !w->label ? JUMP_DISTANCES : JUMP_LABEL;
	return w->wanted && !w->has_unknown ? JUMP_UNKNOWN : JUMP_WHOLE;
}

enum jump_origin jump_origin(const struct jump_code *j, uint64_t *label)
{
	struct walk w = {.code = j, .at = j->at};
	struct insn in;

	*label = 0;
	if (decode_quick(j->bytes + (j->at - j->lo), j->n - (j->at - j->lo),
			 taddr_of(j->at), &in) != 0 ||
	    in.reg == INSN_NO_REG)
		return JUMP_WHOLE;
	w.wanted = (uint16_t)(1u << in.reg);
	for (int i = 0; i < BACK_MAX && w.wanted && step_back(&w); i++)
		read_insn(&w);
	*label = w.label;
	return origin_of(&w);
}
