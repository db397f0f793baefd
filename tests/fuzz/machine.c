/* SPDX-License-Identifier: MIT */
/*
 * Verifier and machine: an input is a list of changes to an image that uses all
 * instructions and subroutines. What the verifier accepts is run, its records and
 * aggregations are read, and it is dumped.
 */
#include "tests/unit/support/block_read.h"
#include "tests/fuzz/fuzz.h"

#include "tests/unit/support/vm_everything.h"
#include "vm/agg.h"
#include "vm/base/host/strbuf.h"

enum change_kind {
	CHANGE_WORD, /* 32 bits become value */
	CHANGE_FLIP, /* bits are flipped */
	CHANGE_ADD,  /* value is added */
	CHANGE_COPY, /* an instruction becomes that at value */
	CHANGE_SWAP, /* two instructions change places */
	CHANGE_KINDS
};

struct change {
	uint16_t at; /* word, or instruction */
	uint16_t kind;
	uint32_t value;
};

static void *good;
static size_t good_size;

static void change_insn(char *image, const struct change *c)
{
	const struct program_section *code =
		&program_header(good)->section[SECTION_CODE];
	insn_t *insns = (insn_t *)(void *)(image + code->offset);
	uint32_t a = c->at % code->count, b = c->value % code->count;
	insn_t old = insns[a];

	insns[a] = insns[b];
	if (c->kind % CHANGE_KINDS == CHANGE_SWAP)
		insns[b] = old;
}

static void change_word(char *image, const struct change *c)
{
	uint32_t *word = (uint32_t *)(void *)image + c->at % (good_size / 4);

	switch (c->kind % CHANGE_KINDS) {
	case CHANGE_WORD:
		*word = c->value;
		break;
	case CHANGE_FLIP:
		*word ^= c->value;
		break;
	case CHANGE_ADD:
		*word += c->value;
		break;
	default:
		change_insn(image, c);
	}
}

static void ignore(void *ctx, const struct agg_entry_view *e)
{
	(void)ctx;
	(void)e;
}

static void run(void *image)
{
	struct state_config c = rig_config(image);
	struct strbuf out = {0};
	struct rig *r;
	uint32_t nclauses = program_count(image, SECTION_CLAUSE);

	if (!state_size(&c) || state_size(&c) > 64 << 20) {
		free(image);
		return;
	}
	program_mark_constant(image);
	r = rig_with(image, good_size, &c);
	strcpy(r->world.memory, "{\"a\": [1, 2]}");
	r->probe.nenablings = nclauses < 64 ? nclauses : 64;
	r->vm.error = &r->error;
	r->error.nenablings = 1;
	for (int i = 0; i < 3; i++)
		vm_fire(&r->vm, &r->probe, VM_FIRE_END);
	while (rig_record(r))
		;
	walk_slot(r->state, r->vm.slot, image, ignore, NULL);
	dump_image(image, &out);
	strbuf_release(&out);
	rig_free(r);
}

void fuzz_one(const uint8_t *data, size_t n)
{
	struct verify_error e;
	struct change c;
	char *image;

	if (!good)
		good = build_everything(&good_size);
	image = malloc(good_size);
	assert(image);
	memcpy(image, good, good_size);
	for (; n >= sizeof(c); data += sizeof(c), n -= sizeof(c)) {
		memcpy(&c, data, sizeof(c));
		change_word(image, &c);
	}
	if (program_verify(image, good_size, &e) == 0)
		run(image); /* takes it over */
	else
		free(image);
}
