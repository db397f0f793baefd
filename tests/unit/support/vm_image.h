/* SPDX-License-Identifier: MIT */
/*
 * For the tests of vm/: puts a program image together, and a state block and
 * surroundings to run it in. Everything is static in a struct, so a test only
 * adds what it needs.
 */
#ifndef TESTS_UNIT_SUPPORT_VM_IMAGE_H
#define TESTS_UNIT_SUPPORT_VM_IMAGE_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/base/status.h"
#include "vm/isa.h"
#include "vm/ring.h"
#include "vm/vm.h"

#define I(op, a, b, c, imm) isa_encode(OP_##op, a, b, c, (int32_t)(imm))

enum { BUILDER_MAX = 2048 };

struct builder {
	insn_t code[BUILDER_MAX];
	uint64_t constants[64];
	char str[4096];
	struct program_clause clauses[64];
	struct program_var vars[64];
	struct program_agg aggs[16];
	struct program_action actions[64];
	struct program_field fields[64];
	uint32_t operands[16];
	struct program_stmt stmts[64];
	uint32_t n[SECTION_COUNT];
	uint32_t strsize, globals, locals;
};

struct builder *builder_new(void);

uint32_t build_string(struct builder *b, const char *s);

uint32_t build_constant(struct builder *b, uint64_t v);

struct program_field field_int(uint32_t size, bool is_signed);

struct program_field field_string(uint32_t strsize);

struct program_field field_bytes(uint32_t size);

uint32_t build_field(struct builder *b, struct program_field f);

/* Keys, if any, are the last nkeys fields added. */
uint32_t build_var(struct builder *b, enum program_scope scope,
		   struct program_field value, uint32_t nkeys);

uint32_t build_agg(struct builder *b, enum agg_func func, uint64_t param,
		   uint32_t words, uint32_t nkeys);

uint32_t build_action(struct builder *b, enum action_kind kind, uint32_t nfields);

void build_insn(struct builder *b, insn_t i);

/* A clause of n instructions; without stmts. Returns its number. */
uint32_t build_clause(struct builder *b, const insn_t *code, uint32_t n);

/* A statement of the last clause, from its instruction first on. */
void build_stmt(struct builder *b, uint32_t first, uint32_t action);

/* The image, malloc'ed; frees the builder. */
void *build_image(struct builder *b, size_t *size);

/* Target memory of the tests: one readable stretch. */
#define WORLD_BASE UINT64_C(0x10000)

struct world {
	char memory[512];
	uint64_t args[10];
	uint32_t faulty_args;	 /* bit N: argN lies in memory that is not there */
	uint64_t clock;		 /* each reading is one more, */
	uint64_t clock_step;	 /* and so much */
	unsigned nreads;	 /* of ENV built-ins */
	unsigned nwakes;	 /* of the consumer, where a test counts them */
	enum vm_control control; /* the last, and with what */
	const uint64_t *uregs;	 /* NULL: a few numbers */
	/* Memory of the test that is the target's as well, at its own address. */
	uint64_t real_lo, real_hi;
	uint64_t control_value;
};

/* The names of the probe, and of ERROR, as strings one after the other. */
extern const char world_names[33];

#define RIG_READERS 8 /* of the first slots */

/* A verified image with its state, enabled on one probe. */
struct rig {
	void *image;
	size_t image_size;
	struct state *state;
	uint64_t state_bytes;
	struct world world;
	struct vm_enabling enablings[64];
	struct vm_probe probe, error;
	struct vm_fullname fullnames[8];
	struct vm vm;
	struct ring_reader readers[RIG_READERS];
	union {
		struct record record;
		unsigned char bytes[RING_RECORD_MAX];
	} buf;
};

struct state_config rig_config(const void *image);

struct vm rig_vm(struct rig *r, uint32_t slot, uint64_t thread);

struct rig *rig_with(void *image, size_t size, const struct state_config *c);

struct rig *rig_new(struct builder *b);

void rig_free(struct rig *r);

void rig_fire(struct rig *r);

/* Of the slot that fires. */
struct ring_reader *rig_reader(struct rig *r);

/* The slot's next record, taken; NULL when there is none. */
const struct record *rig_record(struct rig *r);

/* Body of the record just taken. */
const void *rig_body(const struct rig *r);

#endif
