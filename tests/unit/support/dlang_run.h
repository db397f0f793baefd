/* SPDX-License-Identifier: MIT */
/*
 * Compiles a D text, verifies the image and fires its clauses on the machine
 * with a small made-up target; what the clauses recorded is collected.
 */
#ifndef TESTS_UNIT_SUPPORT_DLANG_RUN_H
#define TESTS_UNIT_SUPPORT_DLANG_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dlang/dlang.h"
#include "vm/ring.h"
#include "vm/tuple.h"
#include "vm/vm.h"

/* The target's memory: 16 bytes of numbers, a string, a pointer to the numbers. */
#define RUN_NUMBERS 0x10000u
#define RUN_STRING  0x10010u
#define RUN_POINTER 0x10018u
#define RUN_END	    0x10020u

struct run_value {
	enum program_kind kind;
	uint64_t number;
	char text[64];
	char type[32];
};

struct run {
	struct dlang *d;
	struct strbuf messages;
	int status; /* of the compilation */
	void *image;
	size_t image_size;
	struct state *state;
	struct ring_reader reader;
	struct vm vm;
	struct vm_enabling enablings[64];
	struct run_value values[64];
	uint32_t nvalues, nrecords;
	int32_t fault; /* the first, or FAULT_NONE */
	uint64_t fault_address;
	uint32_t fault_action;
};

extern const unsigned char run_memory[RUN_END - RUN_NUMBERS];

void run_compile(struct run *r, const char *text);

void run_release(struct run *r);

/* Links and verifies; a message, or NULL. */
const char *run_prepare(struct run *r);

/* Fires every clause once, in program order, on the keeper's slot. */
void run_fire(struct run *r);

#endif
