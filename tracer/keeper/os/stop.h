/* SPDX-License-Identifier: MIT */
/*
 * What a thread's stop means and what to do about it: one pure function over
 * everything that matters, so that every case stands in one tested table.
 *
 *	status --> stop_needs() --> caller fetches that --> stop_classify()
 *
 * Rules that it keeps: no signal is delivered while the pc is in a moved
 * copy, a stub or resident code; a SIGTRAP that is not ours is the target's own;
 * job control works as without us; a call that returns EINTR only because of us is
 * made again.
 */
#ifndef TRACER_KEEPER_OS_STOP_H
#define TRACER_KEEPER_OS_STOP_H

#include "vm/base/base.h"

enum stop_life {
	LIFE_UNKNOWN, /* the tid is in no table: a child before its parent's event */
	LIFE_NEW,     /* announced by its parent's event, has not stopped yet */
	LIFE_KNOWN,
};

enum stop_where {
	WHERE_ORIGINAL,	     /* the program's own code, not just behind a site */
	WHERE_TRAPPED,	     /* one byte behind a site, amid its instruction */
	WHERE_BEHIND,	     /* the same behind an instruction of one byte: ambiguous */
	WHERE_SLOT_BEFORE,   /* start of a moved copy, which has not run */
	WHERE_SLOT_AFTER,    /* in the jump at a copy's end: the instruction has run */
	WHERE_STUB_PROLOGUE, /* in a stub, on the way to firing */
	WHERE_STUB_EPILOGUE, /* in a stub, on a moved instruction or the way back */
	WHERE_RESIDENT,	     /* resident code, before its look at the mark */
	WHERE_GUARD,	     /* the same, at a load that may fault */
	WHERE_LATE,	     /* resident code that does not look at the mark any more */
	WHERE_LEFT,	     /* behind the trap of a marked firing */
};

struct stop_facts {
	int status; /* of waitpid */
	enum stop_life life;
	/* If stop_needs() asked for STOP_NEEDS_REGS: */
	enum stop_where where;
	bool is_lengthy;      /* COPY_BEFORE: a system call or a repeated instruction */
	int64_t call, result; /* regs_syscall(), regs_syscall_result() */
	/* STOP_NEEDS_CODE: si_code. */
	int code;
	/* STOP_NEEDS_SIGNALS: of the pending, some / this one is caught, not blocked. */
	bool is_caught_pending, is_caught;
};

enum stop_need {
	STOP_NEEDS_REGS = 1,
	STOP_NEEDS_CODE = 2,
	STOP_NEEDS_SIGNALS = 4,
};

enum stop_event {
	STOP_GONE,	  /* exited or killed */
	STOP_FIRST,	  /* first stop of an announced child */
	STOP_EARLY,	  /* first stop of a child not yet announced: keep it */
	STOP_CHILD,	  /* clone, fork or vfork: the message is the child */
	STOP_EXEC,	  /* a new image */
	STOP_INTERRUPTED, /* our PTRACE_INTERRUPT, or the end of a group stop */
	STOP_GROUP_STOP,  /* job control */
	STOP_HIT,	  /* our breakpoint */
	STOP_SIGNAL,	  /* a signal of the target's */
	STOP_FAULT,	  /* a moved instruction faulted */
	STOP_GUARD,	  /* a load of resident code faulted */
	STOP_LEFT,	  /* the trap of a marked firing that nobody waits for */
	STOP_SYSCALL,	  /* entry or exit of a system call, where asked for */
	STOP_OTHER,	  /* nothing to us */
};

/* Where the pc must be before the thread goes on. */
enum stop_pc {
	PC_KEEP,
	PC_SITE,   /* the address of the site */
	PC_NEXT,   /* the instruction behind it */
	PC_LEAVE,  /* run the copy to its end first, with signals blocked */
	PC_REWIND, /* to the system call, to be made again */
	PC_OUT,	   /* out of stub and resident code (stub_exit.h) */
	PC_GUARD,  /* resident code's way on after a fault */
	PC_DEMOTE, /* the site becomes a breakpoint, the pc the original one */
};

enum stop_resume {
	RESUME_NONE, /* gone, kept, or the event's handler decides */
	RESUME_CONT, /* with the signal */
	RESUME_LISTEN,
};

struct stop_verdict {
	enum stop_event event;
	enum stop_pc pc;
	enum stop_resume resume;
	int signal; /* to deliver */
};

/* Which of enum stop_need to fill in. Call until it asks for nothing new. */
unsigned stop_needs(const struct stop_facts *s, unsigned have);
struct stop_verdict stop_classify(const struct stop_facts *s);

/*
 * Where a thread that is about to be detached must stand, given that its
 * queued breakpoint trap (WHERE_TRAPPED, WHERE_BEHIND) has been collected.
 */
enum stop_pc stop_settle(enum stop_where where, bool is_trap_collected);
/* What an interrupted call returns to the kernel's signal code, which makes it again. */
enum {
	STOP_RESTART_SYS = -512, /* after a handler with SA_RESTART, or without one */
	STOP_RESTART_NOINTR = -513, /* in any case */
	STOP_RESTART_NOHAND = -514, /* if no handler runs */
	STOP_RESTART_BLOCK = -516,  /* the same, by restart_syscall(2) */
};
bool stop_is_restarted(int64_t result);
/* Whether the thread stopped with its process: it is to listen, not to run. */
bool stop_is_group_stop(int status);
/* Whether nr can be made again after EINTR without a difference (time-outs apart). */
bool stop_can_repeat(int64_t nr);

#endif
