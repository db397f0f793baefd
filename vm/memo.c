/* SPDX-License-Identifier: MIT */
#include "vm/memo.h"
#include "vm/isa.h"
#include "vm/shard.h"

/* What is the same at every firing of one clause for one probe. */
static bool is_constant_builtin(uint32_t id)
{
	switch (id) {
	case BUILTIN_probeprov:
	case BUILTIN_probemod:
	case BUILTIN_probefunc:
	case BUILTIN_probename:
	case BUILTIN_id:
	case BUILTIN_epid:
		return true;
	default:
		return false;
	}
}

static bool is_count(const void *image, int32_t agg)
{
	return program_agg(image, (uint32_t)agg)->func == AGG_count;
}

bool program_is_constant(const void *image, const struct program_clause *clause)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	uint32_t counts = 0;

	for (uint32_t i = 0; i < clause->count; i++) {
		insn_t in = code[clause->first + i];

		switch ((enum isa_op)isa_op(in)) {
		case OP_END:
		case OP_LI:
		case OP_LC:
		case OP_LS:
		case OP_MOV:
		case OP_TUP:
		case OP_TPI:
		case OP_TPS:
			break;
		case OP_BI:
			if (!is_constant_builtin((uint32_t)isa_imm(in)))
				return false;
			break;
		case OP_AGGR:
			if (!is_count(image, isa_imm(in)))
				return false;
			counts++;
			break;
		default:
			return false;
		}
	}
	return counts == 1;
}

void program_mark_constant(void *image)
{
	const struct program_header *h = program_header(image);
	struct program_clause *clauses =
		(void *)((char *)image + h->section[SECTION_CLAUSE].offset);

	for (uint32_t i = 0; i < h->section[SECTION_CLAUSE].count; i++)
		if (program_is_constant(image, &clauses[i]))
			clauses[i].flags |= CLAUSE_CONSTANT;
}

bool vm_may_count(const void *image)
{
	bool may = false;

	for (uint32_t i = 0; i < program_count(image, SECTION_CLAUSE); i++)
		may |= (program_clause(image, i)->flags & CLAUSE_CONSTANT) != 0;
	return may;
}

static struct memo *memo_of(struct slot *slot, const struct vm_probe *probe,
			    uint32_t clause)
{
	return &slot->memo[(probe->id + clause * 7919u) % MEMO_ENTRIES];
}

_Atomic uint64_t *memo_counter(const struct vm *vm, struct slot *slot,
			       const struct vm_probe *probe, uint32_t clause)
{
	const struct memo *m = memo_of(slot, probe, clause);
	struct shard h;
	uint32_t link = m->link;

	if (!link || m->probe != probe->id || m->clause != clause ||
	    m->rekeyed != slot->rekeyed)
		return NULL;
	h = shard_of(vm->state, vm->slot);
	return agg_counter(&h, vm->image, (uint64_t)(link - 1) * 8);
}

bool memo_count(const struct vm *vm, struct slot *slot, const struct vm_probe *probe,
		uint32_t clause)
{
	_Atomic uint64_t *counter = memo_counter(vm, slot, probe, clause);

	if (!counter)
		return false;
	store64(counter, load64(counter) + 2);
	return true;
}

void memo_learn(struct slot *slot, const struct vm_probe *probe, uint32_t clause,
		uint64_t offset)
{
	if (offset == UINT64_MAX)
		return;
	*memo_of(slot, probe, clause) = (struct memo){
		.probe = probe->id,
		.clause = clause,
		.rekeyed = slot->rekeyed,
		.link = (uint32_t)(offset / 8 + 1),
	};
}
