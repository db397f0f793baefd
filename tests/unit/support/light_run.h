/* SPDX-License-Identifier: MIT */
/*
 * Runs a light routine (vm/native.h) in given registers and says what it leaves. The
 * stack pointer is one of them: a routine that used it would fault.
 */
#ifndef TESTS_UNIT_SUPPORT_LIGHT_RUN_H
#define TESTS_UNIT_SUPPORT_LIGHT_RUN_H

#include "vm/native.h"

#define LIGHT_RUN_SITES	    2
#define LIGHT_RUN_ALIGNMENT UINT64_C(0x40000) /* the flag AC, of in_flags */

struct light_run {
	uint64_t in[NATIVE_PROCESSOR_REGS], in_flags; /* by hardware number */
	uint64_t out[NATIVE_PROCESSOR_REGS], out_flags;
	uint64_t own_rsp, code, call; /* of light_run() */
	uint64_t is_finished;
	struct {
		uint64_t epilogue, word;
	} sites[LIGHT_RUN_SITES];
	uint32_t site;
	uint32_t link; /* what the cache has of the site: NATIVE_CACHE_LINK */
	uint64_t stack_lo, stack_hi; /* 0, 0: not known */
	_Alignas(8) unsigned char gate[NATIVE_GATE_BYTES];
	_Alignas(8) unsigned char cache[NATIVE_CACHE_AT +
					LIGHT_RUN_SITES * NATIVE_CACHE_BYTES];
};

/* All registers get values of their own, of which the seed is part. */
void light_run_begin(struct light_run *r, uint64_t seed);
/* The word of a site with this probe alone. */
uint64_t light_run_word(uint32_t probe, bool is_return, uint32_t arg0);
void light_run(struct light_run *r, const void *code, struct native_call *c);
/* Whether all registers but rax and rcx are as they were, and the flags. */
bool light_run_has_kept(const struct light_run *r);

#endif
