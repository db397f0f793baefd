/* SPDX-License-Identifier: MIT */
/*
 * What a thread's stop means, and what to do about it: one pure function of all facts
 * that matter, so that one table of tests has every case.
 *
 *	status --> stop_needs() --> caller fetches that --> stop_classify()
 *
 * Its rules: No signal is delivered while the pc is in an out-of-line slot, a stub or
 * resident code. A SIGTRAP that is not ours is the target's own. Job control works as in
 * an untraced process.
 */
#ifndef TRACER_KEEPER_OS_STOP_H
#define TRACER_KEEPER_OS_STOP_H

#include "vm/base/base.h"

enum stop_life {
	LIFE_UNKNOWN, /* not in the table: a child before its parent's event */
	LIFE_NEW,     /* known by its parent's event, has not stopped yet */
	LIFE_KNOWN,
};

/* In order: from SLOT_BEFORE on memory of ours, from STUB_PROLOGUE on detours. */
enum stop_where {
	WHERE_ORIGINAL,	   /* the program's own code, not just after a breakpoint */
	WHERE_TRAPPED,	   /* one byte after a site, inside its instruction */
	WHERE_AMBIGUOUS,   /* after a site of one byte: trapped, or jumped there */
	WHERE_SLOT_BEFORE, /* at the start of an out-of-line slot, which has not run */
	WHERE_SLOT_AFTER,  /* in the jump at a slot's end: its instruction has run */
	WHERE_STUB_PROLOGUE, /* in a stub, before it fires */
	WHERE_STUB_EPILOGUE, /* in a stub, at a moved instruction or the way back */
	WHERE_RESIDENT,	     /* resident code, before it tests gate.pending */
	WHERE_GUARD,	     /* the same, at a load that may fault */
	WHERE_RESIDENT_LATE, /* resident code, after that test */
	WHERE_LIGHT,	     /* a light routine, which saves and restores by itself */
	WHERE_EXIT_TRAP,     /* after the trap that a thread with gate.pending meets */
};

struct stop_facts {
	int status; /* of waitpid */
	enum stop_life life;
	/* If stop_needs() asked for STOP_NEEDS_REGS: */
	enum stop_where where;
	bool is_lengthy;    /* SLOT_BEFORE: a system call or a repeated instruction */
	bool is_stub_begin; /* STUB_*: at the first byte, where the jump leads */
	int64_t result;	    /* regs_syscall_result() */
	/* STOP_NEEDS_CODE: si_code. */
	int code;
};

enum stop_need {
	STOP_NEEDS_REGS = 1,
	STOP_NEEDS_CODE = 2,
};

enum stop_event {
	STOP_GONE,	  /* exited or killed */
	STOP_FIRST,	  /* first stop of a child after its parent's event */
	STOP_EARLY,	  /* first stop of a child before its parent's event: keep it */
	STOP_CHILD,	  /* clone, fork or vfork: the message is the child */
	STOP_EXEC,	  /* a new image */
	STOP_INTERRUPTED, /* our PTRACE_INTERRUPT, or the end of a group stop */
	STOP_GROUP_STOP,  /* job control */
	STOP_HIT,	  /* our breakpoint */
	STOP_SIGNAL,	  /* a signal of the target's */
	STOP_FAULT,	  /* a moved instruction faulted */
	STOP_GUARD,	  /* a load of resident code faulted */
	STOP_EXIT_TRAP,	  /* the trap at WHERE_EXIT_TRAP, met without need */
	STOP_SYSCALL,	  /* entry or exit of a system call, where asked for */
	STOP_OTHER,	  /* of no interest */
};

/* Where the pc must be before the thread is resumed. */
enum stop_pc {
	PC_KEEP,
	PC_SITE,	/* at the site's address */
	PC_NEXT,	/* at the instruction after the site's */
	PC_FINISH_SLOT, /* first run the slot to its end, with signals blocked */
	PC_EXIT_STUB,	/* out of stub and resident code (stub_exit.h) */
	PC_GUARD,	/* where our code continues after a fault that it expects */
	PC_DEMOTE,	/* the detour becomes breakpoints, the pc the original one */
};

enum stop_resume {
	RESUME_NONE, /* gone, kept for later, or the event's handler decides */
	RESUME_CONT, /* with the signal */
	RESUME_LISTEN,
};

struct stop_verdict {
	enum stop_event event;
	enum stop_pc pc;
	enum stop_resume resume;
	int signal; /* to deliver */
};

/*
 * Which facts (enum stop_need) the caller must fill in, besides those it has. To be
 * called again until it returns 0.
 */
unsigned stop_needs(const struct stop_facts *s, unsigned have);
/* The verdict, once all needed facts are there. */
struct stop_verdict stop_classify(const struct stop_facts *s);

/*
 * Where the pc of a thread that is about to be detached must be. is_trap_collected: the
 * trap of its breakpoint (WHERE_TRAPPED, WHERE_AMBIGUOUS) was pending, and is no more.
 */
enum stop_pc stop_settle(enum stop_where where, bool is_trap_collected);
/*
 * What an interrupted call returns to the kernel's signal code, which restarts it
 * (include/linux/errno.h). The program never sees these, but ptrace(2) does.
 */
enum {
	STOP_RESTART_SYS = -512, /* after a handler with SA_RESTART, or without one */
	STOP_RESTART_NOINTR = -513, /* always */
	STOP_RESTART_NOHAND = -514, /* if no handler runs */
	STOP_RESTART_BLOCK = -516,  /* the same, as restart_syscall(2) */
};
bool stop_is_restarted(int64_t result);
/* Whether the status is of a group stop: the thread must listen (pt_listen()). */
bool stop_is_group_stop(int status);
/* Whether the thread has made a thread or a process: its event tells which. */
bool stop_tells_of_child(int status);
/*
 * Whether a thread that has this as its first stop may take a slot of its process: not at
 * an exec, when the process has lost them, nor when it ends, which can be its first stop.
 */
bool stop_may_take_slot(int status);

#endif
