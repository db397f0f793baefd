/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc; the result is as the kernel gives it, negative
 * for errors.
 */
#ifndef HOOK_RESIDENT_SYS_H
#define HOOK_RESIDENT_SYS_H

#include "vm/base/base.h"

#define SYS_EFAULT 14

enum sys_number {
	SYS_RT_SIGPROCMASK = 14,
	SYS_GETPPID = 110,
	SYS_PRCTL = 157,
	SYS_ARCH_PRCTL = 158,
	SYS_FUTEX = 202,
	SYS_CLOCK_GETTIME = 228,
};

struct sys_timespec {
	int64_t sec, nsec;
};

static inline int64_t sys_call(enum sys_number number, uint64_t a, uint64_t b,
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

/*
 * Whether the 8 bytes at addr can be read, by an operation that fails in either
 * case: with how = ~0 the kernel answers EINVAL after it has read the set, and
 * EFAULT if it cannot.
 */
static inline bool sys_is_readable(uint64_t addr)
{
	return sys_call(SYS_RT_SIGPROCMASK, UINT64_MAX, addr, 0, 8) != -SYS_EFAULT;
}

static inline int sys_clock_gettime(int32_t clock, struct sys_timespec *ts)
{
	return (int)sys_call(SYS_CLOCK_GETTIME, (uint64_t)clock, (uintptr_t)ts, 0, 0);
}

static inline uint64_t sys_getppid(void)
{
	return (uint64_t)sys_call(SYS_GETPPID, 0, 0, 0, 0);
}

#define SYS_NAME_BYTES 16

/* The thread's name, terminated. */
static inline void sys_thread_name(char name[SYS_NAME_BYTES])
{
	const uint64_t pr_get_name = 16;

	name[0] = '\0';
	sys_call(SYS_PRCTL, pr_get_name, (uintptr_t)name, 0, 0);
	name[SYS_NAME_BYTES - 1] = '\0';
}

/* Wakes one that waits for the word in a mapping that it shares with us. */
static inline void sys_futex_wake(_Atomic uint32_t *word)
{
	const uint64_t futex_wake = 1;

	sys_call(SYS_FUTEX, (uintptr_t)word, futex_wake, 1, 0);
}

static inline uint64_t sys_fs_base(void)
{
	const uint64_t arch_get_fs = 0x1003;
	uint64_t base = 0;

	sys_call(SYS_ARCH_PRCTL, arch_get_fs, (uintptr_t)&base, 0, 0);
	return base;
}

#endif
