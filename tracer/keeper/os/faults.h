/* SPDX-License-Identifier: MIT */
/*
 * Injected failures, for tests (CMake option DTRACE_FAULTS). Each call that the keeper
 * makes to act on a target asks first whether it must fail this time. The calls of a
 * class are numbered from 1; the environment says which one fails, and how:
 *
 *	DTRACE_FAULT=CLASS:NUMBER:ERRNO		ERRNO as a number
 *	DTRACE_FAULT_LOG=FILE			a line "hit CLASS NUMBER WHAT" when it
 *						fails, "calls CLASS COUNT" at the end
 */
#ifndef TRACER_KEEPER_OS_FAULTS_H
#define TRACER_KEEPER_OS_FAULTS_H

#include <stdbool.h>

enum faults_class {
	FAULTS_PTRACE, /* what: the request */
	FAULTS_MEMORY, /* reads and writes of the target's memory; what: 0 */
	FAULTS_CALL,   /* system calls made in the target; what: the number */
	FAULTS_FILE,   /* /proc files, memory files, sockets; what: 0 */
	FAULTS_CLASSES
};

/* Whether this call must fail without being made; if so, errno is set. */
#ifdef DTRACE_FAULTS
bool faults_due(enum faults_class in, long what);
#else
static inline bool faults_due(enum faults_class in, long what)
{
	(void)in;
	(void)what;
	return false;
}
#endif

#endif
