/* SPDX-License-Identifier: MIT */
/*
 * For the tests of resident code: calls a function with any state of the
 * processor, and says what state it leaves.
 */
#ifndef TESTS_UNIT_SUPPORT_RESIDENT_CPU_H
#define TESTS_UNIT_SUPPORT_RESIDENT_CPU_H

#include <stdint.h>

#define FLAGS_ARITHMETIC UINT64_C(0x8d5)
#define FLAG_DIRECTION	 UINT64_C(0x400)
#define FLAG_ALIGNMENT	 UINT64_C(0x40000)

/* Everything of a thread that a function could change. */
struct cpu {
	uint64_t gpr[16]; /* rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15 */
	uint64_t flags;
	uint64_t pad;
	unsigned char xmm[16][16];
};

enum { CPU_RSP = 4 };

/* Calls fn with the state in, on the stack that its rsp says; out is what it leaves. */
void run_with(const struct cpu *in, struct cpu *out, const void *fn);

/* A stack whose every byte is looked at afterwards. */
extern struct cpu_stack {
	_Alignas(16) unsigned char bytes[8192];
} target_stack;

struct cpu random_cpu(uint64_t extra_flags);

#endif
