/* SPDX-License-Identifier: MIT */
/* How the processor on which a thread runs is asked for its number. */
#include "vm/native.h"

#include <cpuid.h>

/* The kernel keeps the number in the limit of a segment, and where rdpid reads it. */
#define CPU_SEGMENT 0x7bu
#define TRIES	    16

static uint32_t limit_of_segment(void)
{
	uint32_t limit = 0;

	__asm__ volatile("lsl %1, %0" : "+r"(limit) : "r"(CPU_SEGMENT) : "cc");
	return limit;
}

static uint32_t read_rdpid(void)
{
	uint64_t number;

	__asm__ volatile("rdpid %0" : "=r"(number));
	return (uint32_t)number;
}

bool native_has_rdpid(void)
{
	const uint32_t leaf = 7, rdpid_bit = UINT32_C(1) << 22;
	uint32_t a, b, c, d;

	if (!__get_cpuid_count(leaf, 0, &a, &b, &c, &d) || !(c & rdpid_bit))
		return false;
	for (int i = 0; i < TRIES; i++) {
		const uint32_t before = limit_of_segment(), number = read_rdpid();

		if (limit_of_segment() == before) /* it has not moved meanwhile */
			return number == before;
	}
	return false;
}
