/* SPDX-License-Identifier: MIT */
/*
 * Forged records: what an input says about clause, probe, origin and items, with the
 * sizes that those items have. What is accepted must be what the code of the clause, read
 * here instruction by instruction, can record at that place.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "tests/unit/support/vm_everything.h"
#include "tracer/trust/record_check.h"

#define TARGET 7

/* What an input begins with; its other bytes are numbers of actions. */
struct forged {
	uint8_t context, clause, probe, epid, kind, pid, tid, spec;
	uint16_t cpu, fault, insn, statement;
};

struct built {
	struct record r;
	unsigned char body[RING_RECORD_MAX];
};

static struct rig *rig;
static struct probes probes;
static struct record_check *check;
static struct built built;

/* Every clause on the first probe, the first clause on the second one as well. */
static void begin(void)
{
	static const char *const names[2][4] = {{"p", "", "", "a"}, {"p", "", "", "b"}};
	struct record_check_config config = {.probes = &probes};
	size_t size;
	void *image = build_everything(&size);
	struct state_config c = rig_config(image);

	rig = rig_with(image, size, &c);
	probes_init(&probes);
	for (int i = 0; i < 2; i++)
		probes_add(&probes, NULL, names[i]);
	for (uint32_t i = 0; i < program_count(rig->image, SECTION_CLAUSE); i++)
		probes_enable(&probes, 1, i);
	probes_enable(&probes, 2, 0);
	config.image = rig->image;
	check = record_check_new(&config);
}

static void put(const void *p, uint32_t n)
{
	memcpy((unsigned char *)&built + built.r.size, p, n);
	built.r.size += n;
}

/* An item with a payload of the sizes of its fields. */
static void put_item(uint32_t action)
{
	const struct program_action *a = program_action(rig->image, action);
	struct record_item item = {.action = action};
	unsigned char payload[512] = {0};

	for (uint32_t i = 0; i < a->nfields; i++) {
		const struct program_field *f =
			program_field(rig->image, a->first_field + i);

		if (f->kind == KIND_BYTES)
			memcpy(payload + item.size, &f->size, sizeof(f->size));
		item.size +=
			f->kind == KIND_BYTES ? (uint32_t)align_up(4 + f->size, 8) : 8;
		assert(item.size <= sizeof(payload) - 64);
	}
	put(&item, sizeof(item));
	put(payload, item.size);
}

static void build(const struct forged *f, const uint8_t *actions, size_t n)
{
	static const enum record_kind kinds[] = {RECORD_DATA, RECORD_DATA, RECORD_FAULT,
						 RECORD_COMMIT, RECORD_DISCARD};
	const struct record_fault fault = {
		.action = f->statement, .insn = f->insn, .fault = (int16_t)f->fault};

	built.r = (struct record){
		.size = sizeof(built.r),
		.kind = (uint16_t)kinds[f->kind % ARRAY_LEN(kinds)],
		.probe = f->probe,
		.clause = f->clause % program_count(rig->image, SECTION_CLAUSE),
		.epid = f->epid,
		.cpu = f->cpu,
		.pid = f->pid,
		.tid = f->tid,
		.spec = f->spec & 1,
	};
	if (built.r.kind == RECORD_FAULT)
		put(&fault, sizeof(fault));
	for (size_t i = 0; built.r.kind == RECORD_DATA && i < n && i < 64; i++)
		put_item(actions[i] % program_count(rig->image, SECTION_ACTION));
}

/* The n-th item is recorded by an instruction of the clause after that of the one before. */
static bool is_in_code_order(void)
{
	const struct program_clause *c = program_clause(rig->image, built.r.clause);
	const insn_t *code = program_section(rig->image, SECTION_CODE);
	const unsigned char *p = (const unsigned char *)(&built.r + 1);
	const unsigned char *end = (const unsigned char *)&built + built.r.size;
	uint32_t at = c->first;
	struct record_item item;

	for (; p < end; p += sizeof(item) + item.size) {
		memcpy(&item, p, sizeof(item));
		while (at < c->first + c->count &&
		       (isa_op(code[at]) != OP_REC ||
			(uint32_t)isa_imm(code[at]) != item.action))
			at++;
		if (at++ == c->first + c->count)
			return false;
	}
	return true;
}

static bool calls(enum subr subr)
{
	const struct program_clause *c = program_clause(rig->image, built.r.clause);
	const insn_t *code = program_section(rig->image, SECTION_CODE);

	for (uint32_t i = c->first; i < c->first + c->count; i++)
		if (isa_op(code[i]) == OP_CALL && isa_imm(code[i]) == (int32_t)subr)
			return true;
	return false;
}

static void check_accepted(const struct record_origin *from)
{
	const struct record_fault *fault = (const void *)(&built.r + 1);
	const struct program_clause *c = program_clause(rig->image, built.r.clause);

	assert(built.r.probe == 1 || (built.r.probe == 2 && built.r.clause == 0));
	assert(built.r.probe != 1 || built.r.epid == built.r.clause + 1);
	if (from->context == CONTEXT_RESIDENT) {
		assert(built.r.pid == TARGET && built.r.tid == TARGET);
		assert(c->contexts & CONTEXT_RESIDENT);
	}
	assert(built.r.kind != RECORD_DATA || is_in_code_order());
	assert(built.r.kind != RECORD_DATA || !built.r.spec || calls(SUBR_speculate));
	assert(built.r.kind != RECORD_COMMIT || calls(SUBR_commit));
	assert(built.r.kind != RECORD_DISCARD || calls(SUBR_discard));
	assert(built.r.kind != RECORD_FAULT || fault->insn < c->count);
}

void fuzz_one(const uint8_t *data, size_t n)
{
	static const enum exec_context contexts[] = {CONTEXT_FRONT, CONTEXT_KEEPER,
						     CONTEXT_RESIDENT};
	struct record_origin from;
	struct forged f;
	uint64_t last = 0;

	if (!rig)
		begin();
	if (n < sizeof(f))
		return;
	memcpy(&f, data, sizeof(f));
	from = (struct record_origin){
		.context = contexts[f.context % ARRAY_LEN(contexts)],
		.pid = TARGET,
		.tid = TARGET,
	};
	build(&f, data + sizeof(f), n - sizeof(f));
	if (record_check_accepts_plain(check, &from, &built.r, &last))
		check_accepted(&from);
	if (record_check_accepts(check, &from, &built.r, &last))
		check_accepted(&from);
}
