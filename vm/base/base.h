/* SPDX-License-Identifier: MIT */
/*
 * What every file may assume: attributes and the few macros that a static
 * inline cannot replace. Included by hosted and by resident (freestanding)
 * code alike, so only the freestanding C headers appear here.
 */
#ifndef VM_BASE_BASE_H
#define VM_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define ATTR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define ATTR_NORETURN	       __attribute__((noreturn))
#define ATTR_FALLTHROUGH       __attribute__((fallthrough))
#define ATTR_NOINLINE	       __attribute__((noinline))

static inline uint64_t align_up(uint64_t v, uint64_t power_of_two)
{
	return (v + power_of_two - 1) & ~(power_of_two - 1);
}

static inline uint64_t align_down(uint64_t v, uint64_t power_of_two)
{
	return v & ~(power_of_two - 1);
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
