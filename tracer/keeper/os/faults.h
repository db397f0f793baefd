/* SPDX-License-Identifier: MIT */
/*
 * Failures made on purpose, for the tests (CMake option DTRACE_FAULTS): each call that
 * the keeper makes upon a target asks here first whether it fails this time. Of a
 * class the calls are numbered from 1; the environment says which fails, and how:
 *
 *	DTRACE_FAULT=CLASS:NUMBER:ERRNO		ERRNO as a number
 *	DTRACE_FAULT_LOG=FILE			one line "hit CLASS NUMBER WHAT" then,
 *						and "calls CLASS COUNT" at the end
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

/* Whether this call is to fail without being made; errno is set then. */
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
