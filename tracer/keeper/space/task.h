/* SPDX-License-Identifier: MIT */
/*
 * The threads (tasks) and processes that are traced, and what is known of each.
 */
#ifndef TRACER_KEEPER_SPACE_TASK_H
#define TRACER_KEEPER_SPACE_TASK_H

#include "tracer/keeper/space/space.h"
#include "tracer/keeper/os/cut_call.h"
#include "tracer/keeper/os/syscalls.h"
#include "tracer/keeper/space/thread_slots.h"
#include "vm/base/host/map.h"
#include "vm/own_time.h"
#include "vm/tail_calls.h"

#include <signal.h>
#include "vm/base/regs.h"

/*
 *	EARLY --announced--> NEW --first stop--> RUNNING <--> STOPPED
 *	                                            |            |
 *	                                        LISTENING       HELD
 */
enum task_state {
	TASK_EARLY, /* stopped before its parent's event said whose it is */
	TASK_NEW,   /* announced or listed, first stop to come */
	TASK_RUNNING,
	TASK_STOPPED,	/* in a stop that is being handled */
	TASK_LISTENING, /* in a group stop, PTRACE_LISTEN */
	TASK_HELD,	/* until the front says RESUME, or the release goes on */
};

struct process;
struct task_unwinding;

/* How much of a thread's run time has been sampled (fire/sampler.h). */
struct task_samples {
	int counter;   /* runtime_counter(), owned; -1: none */
	uint64_t seen; /* ns: its run time at the last look */
	struct {
		uint64_t owed; /* ns that it ran and that no sample stands for */
		uint32_t due;  /* samples at its next stop */
	} probe[];	       /* in the order of the sampler's */
};

struct task {
	int tid;
	enum task_state state;
	bool is_leaving;    /* to be detached at its next stop: the release timed out */
	uint8_t recoveries; /* how often its way out failed (stranded.h) */
	int status;	    /* of the last stop, while STOPPED, EARLY or HELD */
	struct process *process;  /* NULL while EARLY */
	struct task *next;	  /* in the process */
	uint64_t identity;	  /* for self->, never used twice */
	taddr held_at;		  /* HELD: the site, 0 after an exec */
	struct addr_range mapped; /* HELD: of struct keeper_ev_hold */
	bool maps_often;
	bool is_fresh;	    /* HELD by an exec before its probes were known */
	bool is_fresh_call; /* and before those of system calls were */
	uint32_t held_hits; /* HELD: hits that its space had then */
	/* HELD, but not for the front: since when it waits for room (threads/room.h). */
	uint64_t waits_since;
	bool is_crowded; /* what it recorded has left little room */
	/* A site that fired already for an instruction that was not completed. */
	struct task_fired {
		taddr at, sp;
		uint64_t link;	   /* regs_syscall_link() */
		uint64_t operands; /* of all registers; 0: sp and link tell */
	} fired;
	bool needs_regs;		  /* its last hit did, beyond the pc */
	struct task_samples *samples;	  /* of profile probes; or NULL */
	struct task_unwinding *unwinding; /* of fire/unwound.h; or NULL */
	uint64_t python;  /* where Python's state of it was last; 0: it was not found */
	bool has_samples; /* its next stop is one of them */
	bool is_born;	  /* while its process was traced: all of its run time counts */
	int met; /* the child that its stop, still to be handled, tells of; or 0 */
	struct syscalls calls;	      /* with process.has_calls */
	struct cut_call cut;	      /* a call that a stop of ours has cut short */
	bool watches_exit;	      /* stops when it ends: process_watches_end() */
	bool is_ending;		      /* it has */
	bool wants_chunks;	      /* for the pool, at its next PTRACE_EVENT_STOP */
	bool has_blocked;	      /* its signals are blocked for a step of ours */
	uint64_t mask;		      /* with has_blocked: its own */
	bool lets_trap_through;	      /* by task_unblock_trap() */
	struct thread_slot slot;      /* fpid */
	struct own_time own_time;     /* while it has no slot; of a slot else */
	struct tail_calls tail_calls; /* the same */
	/* task_time_stop(): ns; seen 0: it has gone on. */
	struct {
		uint64_t seen, way;
	} timed_stop;
};

enum process_role {
	ROLE_TRACED, /* seized for the front, or followed */
	ROLE_SHARER, /* a vfork or CLONE_VM child in traced memory: passes its sites */
	ROLE_FORKED, /* a fork child: cleaned before it runs, followed or detached */
};

struct process {
	int pid;
	struct process *next; /* of all */
	enum process_role role;
	bool is_created; /* -c: killed when the front dies */
	/*
	 * It ignored SIGTRAP when we came. The kernel resets that at the first
	 * hit (an int3's SIGTRAP is forced), so the keeper ignores for it.
	 */
	bool ignores_trap;
	bool has_calls, has_exits; /* its threads stop at system calls; at their end */
	bool has_execs;	  /* at system calls too, for exec_detach_privileged() */
	bool is_restored; /* ROLE_FORKED: its memory has none of our bytes any more */
	uint32_t ntasks;
	struct task *tasks;
	struct space *space; /* a reference */
	struct task *held;   /* of which the front has got an event */
	uint64_t waited_ns;  /* by its threads, for room */
};

#define TASKS_RECENT_MAX 8

struct tasks {
	struct task *early; /* without a process */
	/* Of processes that ended last, newest first: a late child may need one. */
	struct space *recent[TASKS_RECENT_MAX];
	struct process *processes;
	struct map by_tid, by_pid; /* to struct task *, struct process * */
	size_t turn;		   /* place in by_tid */
	uint64_t last_identity;
	struct thread_slots slots;
};

struct task *task_find(const struct tasks *t, int tid);
/*
 * One thread after the other, all of them in as many calls as the table has places; NULL:
 * there is none at this one.
 */
struct task *tasks_turn(struct tasks *t);
struct process *process_find(const struct tasks *t, int pid);

/* Where the stopped thread is, with these registers. */
struct space_place task_place(const struct task *task, const struct regs *regs);
/*
 * The thread is in the stop of a system call that made a child, or that the call made:
 * if the call ran in a copy, it goes to the next instruction, with the registers as if
 * it had run at the site. 0 or a negative status; STATUS_GONE: it died.
 */
int task_leave_copy(struct task *task);

/* Asks for a stop, PTRACE_EVENT_STOP. STATUS_GONE: it died. */
int task_interrupt(struct task *task);
/* Whether it is to stop at its next system call. */
bool task_stops_at_calls(const struct task *task);
/*
 * For a step that the stopped thread is to do for the keeper, signals stay pending, but
 * faults do not. To be undone in a stop. 0, or a status as of pt_mask().
 */
int task_block_signals(struct task *task);
void task_unblock_signals(struct task *task);

/*
 * The stopped thread does not block SIGTRAP any more, until task_block_trap_again() in
 * another stop: at the end.
 */
void task_unblock_trap(struct task *task);
void task_block_trap_again(struct task *task);

/* Tail calls of the thread that are followed: in its slot, or here. */
struct tail_calls *task_tail_calls(struct task *task);

/*
 * Stops in the thread's own time (vm/own_time.h): it stands still from when the keeper
 * sees a stop, unless it has seen it before, until the thread goes on. way:
 * own_time_ways.stop. Without task_time_stop() task_time_go() does nothing. The time in
 * the present stop; 0: there is none yet.
 */
void task_time_stop(struct task *task, uint64_t way);
void task_time_go(struct task *task);
uint64_t task_time_now(const struct task *task);

/* Resumes a stopped thread for what its process is watched for, delivering sig. */
int task_cont(struct task *task, int sig);

/*
 * Notes that the site at this address has fired, and that the thread will meet it once
 * more for the same instruction. That second hit has the same registers. For a system
 * call (is_call) the result registers may differ: the stack pointer and
 * regs_syscall_link() must be the same. These tell a restarted call from a new one at
 * the same address, after a longjmp() out of a signal handler; all registers tell a
 * repeated fault from a new execution, when a handler has skipped the instruction.
 */
void task_note_fired(struct task *task, taddr at, const struct regs *regs,
		     bool is_call);
/* Whether this is that hit; true only once. */
bool task_has_fired(struct task *task, taddr at, const struct regs *regs);

/* A task of the process; process NULL: EARLY. */
struct task *task_add(struct tasks *t, struct process *p, int tid,
		      enum task_state state);
void task_forget_samples(struct task *task);
/* Gives an EARLY task its process. */
void task_adopt(struct tasks *t, struct task *task, struct process *p);
/* Removes and frees it; the process stays even if it was the last. */
void task_remove(struct tasks *t, struct task *task);

/* thread_slots_take() and thread_slots_drop() for the thread, in its present space. */
void task_take_slot(struct tasks *t, struct task *task, bool is_inert);
void task_drop_slot(struct tasks *t, struct task *task);

/* Takes over the reference to space. */
struct process *process_add(struct tasks *t, int pid, enum process_role role,
			    struct space *space);
/* Whether proc and syscall probes fire in it: it is traced, or about to be followed. */
bool process_is_observed(const struct process *p);
/* Whether it maps D variables; of the processes in one space only the traced one. */
bool process_has_variables(const struct process *p);
/*
 * Gives the process a new, empty space, with the memory that it has now; only the
 * family of the former one stays. False: that memory cannot be opened.
 */
bool process_new_space(struct process *p);
/* Whether the thread stops when it ends: the leader tells of the end of the process. */
bool process_watches_end(const struct process *p, int tid);
/* enum pt_option of its thread. */
unsigned process_options(const struct process *p, int tid);
/* The tid of some thread that lives: the leader may be a zombie. 0: none is known. */
int process_living_tid(const struct process *p);
/* Remembers its space, takes over no reference. */
void process_keep_recent(struct tasks *t, const struct process *p);
void tasks_forget_recent(struct tasks *t);
/* Frees the process and what is left of its tasks. */
void process_remove(struct tasks *t, struct process *p);

#endif
