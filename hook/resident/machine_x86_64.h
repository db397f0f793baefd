/* SPDX-License-Identifier: MIT */
/*
 * The instructions of x86-64 that resident code needs and C has not. The way in and
 * out, and the loads that may fault, are in entry_x86_64.S.
 */
#ifndef HOOK_RESIDENT_MACHINE_X86_64_H
#define HOOK_RESIDENT_MACHINE_X86_64_H

#include "vm/base/regs.h"

/* A system call of four arguments; the result is the kernel's, negative for errors. */
static inline int64_t machine_syscall(enum arch_syscall number, uint64_t a, uint64_t b,
				      uint64_t c, uint64_t d)
{
	register uint64_t r10 __asm__("r10") = d;
	int64_t result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((int64_t)number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

/* The processor's number, which the kernel keeps in the limit of a segment. */
static inline uint32_t machine_cpu(void)
{
	const uint32_t segment = 0x7b, cpu_bits = 0xfff;
	uint32_t limit = 0;

	__asm__("lsl %1, %0" : "+r"(limit) : "r"(segment) : "cc");
	return limit & cpu_bits;
}

/* The same, where there is such an instruction. */
static inline uint32_t machine_cpu_by_rdpid(void)
{
	const uint32_t cpu_bits = 0xfff;
	uint64_t number;

	__asm__ volatile("rdpid %0" : "=r"(number));
	return (uint32_t)number & cpu_bits;
}

/* The time-stamp counter, not before all earlier instructions are done. */
static inline uint64_t machine_ticks_in_order(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static inline uint64_t machine_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

#endif
