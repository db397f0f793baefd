/* SPDX-License-Identifier: MIT */
/*
 * A consumer over a real state block: a program is assembled by hand, its
 * clauses are run by the machine, and what the consumer prints is caught.
 */
#ifndef TESTS_UNIT_SUPPORT_TRACER_RIG_H
#define TESTS_UNIT_SUPPORT_TRACER_RIG_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/consume/consume.h"
#include "tracer/records/sources.h"
#include "vm/agg.h"
#include "vm/isa.h"
#include "vm/vm.h"

#include <setjmp.h>

#include <cmocka.h>

#define RIG_SLOTS  3
#define RIG_PROBES 24

struct rig_value {
	/* i signed, u unsigned, s string, b bytes, f bytes of a float, w of wchar_t;
	 * 0 ends a list */
	char type;
	uint32_t size;
	int64_t number;
	const char *text; /* of s; of b: size bytes */
};

#define INT(size, n)                                                                   \
	{                                                                              \
		'i', size, n, NULL                                                     \
	}
#define UINT(size, n)                                                                  \
	{                                                                              \
		'u', size, (int64_t)(n), NULL                                          \
	}
#define STR(s)                                                                         \
	{                                                                              \
		's', 256, 0, s                                                         \
	}
#define BYTES(n, s)                                                                    \
	{                                                                              \
		'b', n, 0, s                                                           \
	}

#define FLOAT(x)                                                                       \
	{                                                                              \
		'f', sizeof(x), 0, (const char *)&(x)                                  \
	}
#define WIDE(n, s)                                                                     \
	{                                                                              \
		'w', (n)*4, 0, (const char *)(s)                                       \
	}

struct rig {
	insn_t code[8192];
	uint64_t consts[2048];
	char strings[16384];
	struct program_clause clauses[64];
	struct program_agg aggs[16];
	struct program_action actions[256];
	struct program_field fields[1024];
	uint32_t operands[64];
	struct program_stmt stmts[1024];
	uint32_t ncode, nconsts, nstrings, nclauses, naggs, nactions, nfields,
		noperands, nstmts;

	void *image;
	struct state *state;
	struct sources *sources;
	uint64_t state_size;
	struct probes probes;
	struct vm_probe table[RIG_PROBES];
	struct vm_fullname fullnames[RIG_PROBES];
	struct vm_enabling enablings[64];
	struct vm vm[RIG_SLOTS];
	uint64_t clock;
	uint64_t bufsize;
	struct options options;
	struct out *out;
	int out_fd, err_fd, saved_stderr;
	struct consumer *consumer;
	char caught[1 << 20];
};

/* ---- assembling ---- */

void rig_emit(struct rig *r, insn_t i);

void rig_load(struct rig *r, unsigned reg, int64_t v);

/* Begins a clause; its number. rig_end() ends it. */
uint32_t rig_clause(struct rig *r);

void rig_end(struct rig *r);

/* Makes the record of a clause without data. */
void rig_empty(struct rig *r);

/* An action with values as its data and one operand for each of aggs, ended by -1. */
void rig_action(struct rig *r, enum action_kind kind, const char *text,
		const struct rig_value *values, const int *aggs);

void rig_exit(struct rig *r, int status);

/* A fault: 4 bytes of target memory at address 0. */
void rig_fault(struct rig *r);

/* An aggregation whose keys have the types of the values. */
int rig_agg(struct rig *r, enum agg_func func, uint64_t param,
	    const struct rig_value *keys);

void rig_aggregate(struct rig *r, int agg, const struct rig_value *keys, int64_t value,
		   int64_t increment);

/* ---- running ---- */

struct rig *rig_new(void);

uint32_t rig_probe(struct rig *r, const char *provider, const char *function,
		   const char *name);

/* Links what was assembled; makes block, machines and consumer. */
void rig_start(struct rig *r);

/* stderr is caught between these two. */
void rig_catch(struct rig *r);

void rig_release(struct rig *r);

int rig_pass(struct rig *r, uint64_t hold_back);

void rig_fire(struct rig *r, uint32_t slot, uint32_t probe);

const char *rig_out(struct rig *r);

const char *rig_err(struct rig *r);

void rig_free(struct rig *r);

/* Sets an option given as "name" or "name=value"; several are separated by blanks. */
void rig_options(struct rig *r, const char *settings);

#endif
