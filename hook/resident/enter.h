/* SPDX-License-Identifier: MIT */
/*
 * The block that resident code is entered with: laid out by the keeper, one for
 * each thread's firing, offsets from its own start. The image behind it is
 * sealed and was verified before.
 */
#ifndef HOOK_RESIDENT_ENTER_H
#define HOOK_RESIDENT_ENTER_H

#include "vm/vm.h"

#define RESIDENT_MAGIC	 UINT32_C(0x44495352) /* "RSID" */
#define RESIDENT_VERSION 1
#define RESIDENT_ARGS	 10

struct resident_block {
	uint32_t magic, version;
	uint64_t image_at, state_at, names_at, names_size;
	uint64_t probes_at;    /* struct vm_probe */
	uint64_t enablings_at; /* struct vm_enabling */
	uint32_t probe;	       /* index of the one that fires */
	uint32_t error;	       /* index + 1 of dtrace:::ERROR, 0 when not enabled */
	uint32_t slot;
	uint32_t cpu, pid, tid;
	uint64_t thread;
	uint64_t timestamp;
	uint64_t args[RESIDENT_ARGS];
};

/* Runs the clauses of the block's probe. The block may lie in shared memory. */
void resident_enter(struct resident_block *block);

#endif
