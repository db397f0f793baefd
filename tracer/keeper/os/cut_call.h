/* SPDX-License-Identifier: MIT */
/*
 * System calls that a stop of ours cut short: an interrupt, or a signal without a
 * handler, which would not have reached an untraced process. Many of them are restarted
 * by the kernel. Others return EINTR, or a part of what they should do. Those are made
 * again:
 *
 *	exit with EINTR      the same call once more
 *	exit with a part     the call for the rest; its last exit has the sum
 *
 * A caught signal ends a call as it would have without us, even if it comes when the call
 * is about to be made again:
 *
 *	stop: begin --> ON --exit of the call--> again, or the end
 *	                ON --caught signal at the instruction--> end: EINTR, or the part
 *
 * Pure, so that one table of tests has every case.
 */
#ifndef TRACER_KEEPER_OS_CUT_CALL_H
#define TRACER_KEEPER_OS_CUT_CALL_H

#include "vm/base/regs.h"
#include "vm/base/taddr.h"

struct cut_call {
	bool is_on;
	/* Its exit must be a stop: its arguments or its result will have to change. */
	bool needs_exit;
	/* An interrupt has been asked for: an exit with a part may be due to it. */
	bool is_expected;
	int64_t nr;
	uint64_t pc, sp;		  /* of the instruction */
	uint64_t args[REGS_SYSCALL_ARGS]; /* the program's */
	uint64_t done;			  /* what it would have returned so far */
	uint64_t began;			  /* ns: its entry if that was a stop, or 0 */
	uint64_t deadline;		  /* ns: of a time-out in a register, or 0 */
};

/* What the target's descriptor is, for calls that may return a part without us. */
enum cut_file {
	CUT_FILE_FILLS,	 /* reads fill the buffer: /dev/zero, /dev/urandom... */
	CUT_FILE_STREAM, /* a stream socket */
	CUT_FILE_STORED, /* neither a pipe nor a socket */
};

struct cut_stop {
	bool is_exit;	/* a stop at the exit of a call: others come after it */
	bool is_caught; /* a stop for a signal that has a handler */
	uint64_t now;	/* ns, CLOCK_MONOTONIC */
	int tid;
	/* False if it cannot be known. */
	bool (*file_is)(int tid, int fd, enum cut_file what);
};

/* The thread enters a call, with these registers. */
void cut_call_entered(struct cut_call *c, const struct regs *r, uint64_t now);
/* Cheap: whether cut_call_stopped() might do something at a stop with these registers. */
bool cut_call_concerns(const struct cut_call *c, const struct regs *r);
/*
 * The thread is stopped with these registers, in the program's own code or in an
 * out-of-line slot. True if they have changed: written back, they make the call again, or
 * end it. is_on tells which.
 */
bool cut_call_stopped(struct cut_call *c, const struct cut_stop *s, struct regs *r);
/*
 * The thread will not be traced any longer. After cut_call_stopped(): a call that has
 * done a part ends with it, another one is made again with the program's arguments. True
 * if the registers have changed.
 */
bool cut_call_leave(struct cut_call *c, struct regs *r);

#endif
