/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc; the result is as the kernel gives it, negative
 * for errors.
 */
#ifndef HOOK_RESIDENT_SYS_H
#define HOOK_RESIDENT_SYS_H

#include "hook/resident/machine_x86_64.h"

#define SYS_EFAULT 14

struct sys_timespec {
	int64_t sec, nsec;
};

/*
 * Whether the 8 bytes at addr can be read, by an operation that fails in either
 * case: with how = ~0 the kernel answers EINVAL after it has read the set, and
 * EFAULT if it cannot.
 */
static inline bool sys_is_readable(uint64_t addr)
{
	return machine_syscall(ARCH_SYS_RT_SIGPROCMASK, UINT64_MAX, addr, 0, 8) !=
	       -SYS_EFAULT;
}

static inline int sys_clock_gettime(int32_t clock, struct sys_timespec *ts)
{
	return (int)machine_syscall(ARCH_SYS_CLOCK_GETTIME, (uint64_t)clock,
				    (uintptr_t)ts, 0, 0);
}

static inline uint64_t sys_getppid(void)
{
	return (uint64_t)machine_syscall(ARCH_SYS_GETPPID, 0, 0, 0, 0);
}

#define SYS_NAME_BYTES 16

/* The thread's name, terminated. */
static inline void sys_thread_name(char name[SYS_NAME_BYTES])
{
	const uint64_t pr_get_name = 16;

	name[0] = '\0';
	machine_syscall(ARCH_SYS_PRCTL, pr_get_name, (uintptr_t)name, 0, 0);
	name[SYS_NAME_BYTES - 1] = '\0';
}

/* Wakes one that waits for the word in a mapping that it shares with us. */
static inline void sys_futex_wake(_Atomic uint32_t *word)
{
	const uint64_t futex_wake = 1;

	machine_syscall(ARCH_SYS_FUTEX, (uintptr_t)word, futex_wake, 1, 0);
}

/* Sleeps while the word, in a mapping that is shared, has the value; ns at most. */
static inline void sys_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
	const uint64_t futex_wait = 0;
	const struct sys_timespec limit = {0, ns};

	machine_syscall(ARCH_SYS_FUTEX, (uintptr_t)word, futex_wait, value,
			(uintptr_t)&limit);
}

/*
 * Lets SIGTRAP through to the thread: true if it was blocked. The kernel would do the
 * same at a breakpoint, and forget the program's handler for it.
 */
static inline bool sys_unblock_trap(void)
{
	const uint64_t trap = UINT64_C(1) << (5 - 1), sig_unblock = 1;
	uint64_t old = 0;

	machine_syscall(ARCH_SYS_RT_SIGPROCMASK, sig_unblock, (uintptr_t)&trap,
			(uintptr_t)&old, 8);
	return old & trap;
}

/* The base of the thread's thread-local storage. */
static inline uint64_t sys_thread_pointer(void)
{
	const uint64_t arch_get_fs = 0x1003;
	uint64_t base = 0;

	machine_syscall(ARCH_SYS_ARCH_PRCTL, arch_get_fs, (uintptr_t)&base, 0, 0);
	return base;
}

#endif
