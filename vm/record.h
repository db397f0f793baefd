/* SPDX-License-Identifier: MIT */
/*
 * What a firing leaves for the consumer: one record for each clause that
 * recorded something, met a fault, or ended a speculation. A speculation is named
 * by its number and, in the high half, how often that number was given out before:
 * so it is free again as soon as it was committed or discarded. Items follow the
 * header, each with its action number and payload (a tuple), 8-aligned:
 *
 *	| record | item | payload ... | item | payload ... |
 */
#ifndef VM_RECORD_H
#define VM_RECORD_H

#include "vm/base/base.h"

enum record_kind {
	RECORD_DATA = 1,
	RECORD_FAULT = 2,   /* followed by one struct record_fault */
	RECORD_COMMIT = 3,  /* nothing follows; spec: what is printed here and now */
	RECORD_DISCARD = 4, /* nothing follows; spec: what is forgotten */
};

struct record {
	uint32_t size; /* header included, multiple of 8 */
	uint16_t kind; /* enum record_kind */
	uint16_t cpu;
	uint32_t probe;	 /* probe id, 1-based */
	uint32_t clause; /* number in the image */
	uint32_t epid;
	/*
	 * Nominal bytes that it takes of bufsize: of a speculation none before the
	 * record of commit(), which takes those of all that the slot has recorded.
	 */
	uint32_t room;
	uint32_t pid, tid;
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint64_t spec; /* 0, or the speculation that it is part of */
};

struct record_item {
	uint32_t action; /* number in the image */
	uint32_t size;	 /* of the payload, multiple of 8 */
};

struct record_fault {
	uint32_t action; /* 1-based statement of the clause, 0 the predicate */
	uint32_t insn;	 /* instruction offset in the clause */
	int32_t fault;	 /* enum fault */
	uint32_t pad;
	uint64_t address;
};

#define RECORD_FAULT_NOMINAL 40u /* bytes that a fault takes of bufsize */

#endif
