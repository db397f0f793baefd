/* SPDX-License-Identifier: MIT */
/*
 * args[0] of proc:::fault: which fault has caused a signal. The numbers are those that
 * FLTILL and so on have in scripts.
 */
#ifndef TRACER_KEEPER_FAULT_KIND_H
#define TRACER_KEEPER_FAULT_KIND_H

#include <signal.h>
#include <stdint.h>

enum fault_kind {
	FAULT_ILL = 1,
	FAULT_BPT = 3,
	FAULT_TRACE = 4,
	FAULT_ACCESS = 5,
	FAULT_BOUNDS = 6,
	FAULT_IOVF = 7,
	FAULT_IZDIV = 8,
	FAULT_FPE = 9,
};

/* 0: the signal has another cause: a process has sent it. */
static inline uint64_t fault_kind(int signal, int code)
{
	if (code <= 0)
		return 0;
	switch (signal) {
	case SIGILL:
		return FAULT_ILL;
	case SIGTRAP:
		return code == TRAP_TRACE ? FAULT_TRACE : FAULT_BPT;
	case SIGBUS:
		return FAULT_ACCESS;
	case SIGSEGV:
		return code == SEGV_ACCERR ? FAULT_ACCESS : FAULT_BOUNDS;
	case SIGFPE:
		return code == FPE_INTDIV   ? FAULT_IZDIV
		       : code == FPE_INTOVF ? FAULT_IOVF
					    : FAULT_FPE;
	default:
		return 0;
	}
}

#endif
