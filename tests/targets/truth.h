/* SPDX-License-Identifier: MIT */
/*
 * A traced test program counts its own calls and prints the truth at its end,
 * one line for each function: "NAME CALLS", and "return NAME RETURNS" where
 * the two differ. Tests compare these lines with what dtrace counted.
 *
 * TIMES in the environment: so many times the usual turns.
 */
#ifndef TARGETS_TRUTH_H
#define TARGETS_TRUTH_H

#include <stdio.h>
#include <stdlib.h>

/* The compiler must neither inline, clone nor rename a counted function. */
#ifdef __clang__
#define KEEP __attribute__((noinline, used))
#else
#define KEEP __attribute__((noipa, used))
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Safe in signal handlers and from any number of threads. */
ALWAYS_INLINE void hit(unsigned long *calls)
{
	__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
}

ALWAYS_INLINE long turns_of(long usual)
{
	const char *times = getenv("TIMES");

	return times ? usual * atol(times) : usual;
}

ALWAYS_INLINE void truth(const char *name, const unsigned long *calls)
{
	printf("%s %lu\n", name, __atomic_load_n(calls, __ATOMIC_RELAXED));
}

ALWAYS_INLINE void truth_return(const char *name, unsigned long returns)
{
	printf("return %s %lu\n", name, returns);
}

#endif
