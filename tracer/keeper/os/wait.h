/* SPDX-License-Identifier: MIT */
/*
 * What a thread's stop means and what to do about it: one pure function over
 * everything that matters, so that every case stands in one tested table.
 *
 *	status --> wait_needs() --> caller fetches that --> wait_classify()
 *
 * Rules that it keeps: no signal is delivered while the pc is in a moved
 * copy, a stub or resident code; a SIGTRAP that is not ours is the target's own;
 * job control works as without us; a call that returns EINTR only because of us is
 * made again.
 */
#ifndef TRACER_KEEPER_OS_WAIT_H
#define TRACER_KEEPER_OS_WAIT_H

#include "vm/base/base.h"

enum wait_life {
	LIFE_UNKNOWN, /* the tid is in no table: a child before its parent's event */
	LIFE_NEW,     /* announced by its parent's event, has not stopped yet */
	LIFE_KNOWN,
};

enum wait_where {
	WHERE_ORIGINAL,	   /* the program's own code, not just behind a site */
	WHERE_TRAPPED,	   /* one byte behind a site, amid its instruction */
	WHERE_BEHIND,	   /* the same behind an instruction of one byte: ambiguous */
	WHERE_COPY_BEFORE, /* start of a moved copy, which has not run */
	WHERE_COPY_AFTER,  /* in the jump at a copy's end: the instruction has run */
	WHERE_STUB_HEAD,   /* in a stub, on the way to firing */
	WHERE_STUB_TAIL,   /* in a stub, on a moved instruction or the way back */
	WHERE_RESIDENT,	   /* resident code, before its look at the mark */
	WHERE_GUARD,	   /* the same, at a load that may fault */
	WHERE_LATE,	   /* resident code that does not look at the mark any more */
	WHERE_LEFT,	   /* behind the trap of a marked firing */
};

struct wait_stop {
	int status; /* of waitpid */
	enum wait_life life;
	/* If wait_needs() asked for WAIT_NEEDS_REGS: */
	enum wait_where where;
	bool is_lengthy; /* COPY_BEFORE: a system call or a repeated instruction */
	int64_t rax, orig_rax;
	/* WAIT_NEEDS_CODE: si_code. */
	int code;
	/* WAIT_NEEDS_SIGNALS: of the pending, some / this one is caught, not blocked. */
	bool is_caught_pending, is_caught;
};

enum wait_need {
	WAIT_NEEDS_REGS = 1,
	WAIT_NEEDS_CODE = 2,
	WAIT_NEEDS_SIGNALS = 4,
};

enum wait_event {
	WAIT_GONE,	  /* exited or killed */
	WAIT_FIRST,	  /* first stop of an announced child */
	WAIT_EARLY,	  /* first stop of a child not yet announced: keep it */
	WAIT_CHILD,	  /* clone, fork or vfork: the message is the child */
	WAIT_EXEC,	  /* a new image */
	WAIT_INTERRUPTED, /* our PTRACE_INTERRUPT, or the end of a group stop */
	WAIT_GROUP_STOP,  /* job control */
	WAIT_HIT,	  /* our breakpoint */
	WAIT_SIGNAL,	  /* a signal of the target's */
	WAIT_FAULT,	  /* a moved instruction faulted */
	WAIT_GUARD,	  /* a load of resident code faulted */
	WAIT_LEFT,	  /* the trap of a marked firing that nobody waits for */
	WAIT_SYSCALL,	  /* entry or exit of a system call, where asked for */
	WAIT_OTHER,	  /* nothing to us */
};

/* Where the pc must be before the thread goes on. */
enum wait_pc {
	PC_KEEP,
	PC_SITE,   /* the address of the site */
	PC_NEXT,   /* the instruction behind it */
	PC_LEAVE,  /* run the copy to its end first, with signals blocked */
	PC_REWIND, /* to the system call, to be made again */
	PC_OUT,	   /* out of stub and resident code (leave.h) */
	PC_GUARD,  /* resident code's way on after a fault */
	PC_DEMOTE, /* the site becomes a breakpoint, the pc the original one */
};

enum wait_resume {
	RESUME_NONE, /* gone, kept, or the event's handler decides */
	RESUME_CONT, /* with the signal */
	RESUME_LISTEN,
};

struct wait_verdict {
	enum wait_event event;
	enum wait_pc pc;
	enum wait_resume resume;
	int signal; /* to deliver */
};

/* Which of enum wait_need to fill in. Call until it asks for nothing new. */
unsigned wait_needs(const struct wait_stop *s, unsigned have);
struct wait_verdict wait_classify(const struct wait_stop *s);

/*
 * Where a thread that is about to be detached must stand, given that its
 * queued breakpoint trap (WHERE_TRAPPED, WHERE_BEHIND) has been collected.
 */
enum wait_pc wait_settle(enum wait_where where, bool is_trap_collected);
/* What an interrupted call returns to the kernel's signal code, which makes it again. */
enum {
	WAIT_RESTART_SYS = -512, /* after a handler with SA_RESTART, or without one */
	WAIT_RESTART_NOINTR = -513, /* in any case */
	WAIT_RESTART_NOHAND = -514, /* if no handler runs */
	WAIT_RESTART_BLOCK = -516,  /* the same, by restart_syscall(2) */
};
bool wait_is_restarted(int64_t rax);
/* Whether the thread stopped with its process: it is to listen, not to run. */
bool wait_is_group_stop(int status);
/* Whether nr can be made again after EINTR without a difference (time-outs apart). */
bool wait_can_repeat(int64_t nr);

#endif
