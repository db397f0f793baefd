/* SPDX-License-Identifier: MIT */
/* The end of a process, as the kernel has it: no event of the keeper is awaited. */
#ifndef VM_BASE_PROC_PROCESS_END_H
#define VM_BASE_PROC_PROCESS_END_H

#include <stdbool.h>

/*
 * True if all threads have ended, or are about to: it need not be reaped, and its tracer
 * may hold it on its way out.
 */
bool process_is_ending(int pid);

#endif
