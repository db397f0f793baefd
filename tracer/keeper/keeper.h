/* SPDX-License-Identifier: MIT */
/*
 * The keeper process as its front sees it. The keeper is the only user of
 * ptrace: it seizes targets, sets breakpoints, runs pid clauses when they are
 * hit, and undoes every change when it is told to, when its front dies or when
 * the target goes. It is started by the front as
 *
 *	probekeeper FD FRONT-PID
 *
 * (nothing in its name or arguments says dtrace, so pkill spares it), calls
 * setsid(), and speaks the messages below over FD, a SOCK_SEQPACKET socket.
 * The end of the socket, or of the front, means: restore, detach, exit.
 *
 *	front  -- request ------------>  keeper		exactly one reply each,
 *	       <- reply (same serial) --		in order
 *	       <- event ----------------		at any time
 *
 * The front makes the memfds because it alone knows the program's sizes; the
 * keeper maps them and keeps private copies of image and probe table. Only the
 * keeper opens a target's memory; it passes the descriptor to the front,
 * which reads text through it and restores from it if the keeper dies.
 */
#ifndef TRACER_KEEPER_KEEPER_H
#define TRACER_KEEPER_KEEPER_H

#include "hook/hook.h"
#include "vm/base/base.h"
#include "vm/base/taddr.h"
#include "vm/vm.h"

#define KEEPER_NAME	"probekeeper"
#define KEEPER_TEXT_MAX 512
#define KEEPER_FDS_MAX	2

enum keeper_msg_type {
	/* Requests. */

	/* fds: image, block. a = bytes of the image, b = of the block. */
	KEEPER_REQ_BLOCK = 1,
	/* fd: struct vm_table. a = bytes. Replaces the table; ids are stable. */
	KEEPER_REQ_PROBES,
	/* pid; a = enum keeper_seize_flag. The reply has fd: /proc/PID/mem. */
	KEEPER_REQ_SEIZE,
	/* pid; fd: struct keeper_sites (below), shared. a = bytes. */
	KEEPER_REQ_SITES,
	/*
	 * pid; fd: struct unwind_file (vm/base/unwind.h). a = bytes. Rows of modules
	 * that have none yet, for stacks. The reply: a = 1, once, when jumps take no
	 * stacks by rows any more: modules came and went too often.
	 */
	KEEPER_REQ_ROWS,
	/* pid; the sites in [a, b) vanished with their mapping (dlclose). The reply: as
	 * of KEEPER_REQ_ROWS. */
	KEEPER_REQ_FORGET,
	/* pid; lets the thread held by the last event go on. */
	KEEPER_REQ_RESUME,
	/* pid, or 0 all: restore, detach. a = 1: kill instead (created ones). The reply
	 * for all has what served the sites of fpid: a = hits by jumps, b = by
	 * breakpoints, c = ns the keeper spent on these; tid = threads that sleep in the
	 * kernel, for which the keeper stays. */
	KEEPER_REQ_RELEASE,
	/* pid. The reply: a = why there can be no jumps in it (enum keeper_reason). */
	KEEPER_REQ_JUMPS,
	/* fd: struct keeper_siteless[] (below). a = bytes. Replaces those there were. */
	KEEPER_REQ_SITELESS,
	/* pid; fd: struct keeper_restore[] (below). a = bytes. What a keeper that was
	 * killed left in its text is put back. */
	KEEPER_REQ_RESTORE,
	/* pid. The children that it makes from now on, and theirs, are traced as well. */
	KEEPER_REQ_FOLLOW,

	/* The reply: the request's serial, status; text is the reason alone. */
	KEEPER_REPLY = 32,

	/* Events. pid is the process (thread group), tid the thread. */

	/*
	 * New image mapped, nothing run, no site left; held. fd: its memory. a = 0, or
	 * what EV_FORK has: a child of vfork(2) or its like is heard of here first.
	 */
	KEEPER_EV_EXEC = 64,
	/* A KEEPER_SITE_HOLD was reached: a = address; held. */
	KEEPER_EV_HOLD,
	/* The last thread has gone: a = wait status as of waitpid(2). */
	KEEPER_EV_EXIT,
	/* It cannot be traced any more and runs on untraced: text says why. */
	KEEPER_EV_LOST,
	/* Threads that were not looked at when a profile probe was due: a = how often. */
	KEEPER_EV_MISSED,
	/*
	 * A child that is followed: clean, nothing run; held. fd: its memory. a = the
	 * process of KEEPER_REQ_FOLLOW that it descends from.
	 */
	KEEPER_EV_FORK,
};

struct keeper_msg {
	uint32_t type, serial;
	int32_t status; /* of replies: 0 or enum status */
	int32_t pid, tid;
	uint32_t nfds; /* descriptors that came along */
	uint64_t a, b, c;
	char text[KEEPER_TEXT_MAX];
};

enum keeper_seize_flag {
	KEEPER_SEIZE_CREATED = 1, /* ours by -c: EXITKILL, killed if the front dies */
};

enum keeper_site_kind {
	KEEPER_SITE_ENTRY,  /* before the instruction; arguments as the ABI says */
	KEEPER_SITE_OFFSET, /* the same; argN as at entry */
	KEEPER_SITE_RETURN, /* before a ret or jump that leaves the function */
	KEEPER_SITE_HOLD,   /* no probe: the thread is held and the front told */
	/* Added to one of the first three: diag:::fpid, which tells of that event. */
	KEEPER_SITE_RAW,
};

/* The event at the site, whichever probe tells of it. */
static inline enum keeper_site_kind keeper_site_event(unsigned kind)
{
	return (enum keeper_site_kind)(kind % KEEPER_SITE_RAW);
}

static inline bool keeper_site_is_raw(unsigned kind)
{
	return kind >= KEEPER_SITE_RAW;
}

enum keeper_site_result {
	KEEPER_SITE_SET = 1,	 /* a breakpoint; with a plan, reason: why no jump */
	KEEPER_SITE_REFUSED = 2, /* reason: enum keeper_reason */
	KEEPER_SITE_JUMP = 3,	 /* hooked as its plan says */
};

/* Why a breakpoint cannot be set: KEEPER_REASON(name, text). */
#define KEEPER_REASONS(X)                                                              \
	X(NONE, "")                                                                    \
	X(NOT_CODE, "the process cannot execute what is there")                        \
	X(UNREADABLE, "its memory cannot be read")                                     \
	X(UNDECODABLE, "the bytes are not an instruction")                             \
	X(BREAKPOINT, "another tool's breakpoint or an int instruction stands there")  \
	X(CONTROL, "the instruction can be neither emulated nor moved")                \
	X(NO_SCRATCH, "no memory near it could be mapped for moved instructions")      \
	X(FILTERED, "a seccomp filter forbids the memory for moved instructions: "     \
		    "only root may suspend it")                                        \
	X(UNWRITABLE, "its memory cannot be written")                                  \
	/* Why a planned jump became a breakpoint. */                                  \
	X(SHARED, "a probe that needs a breakpoint stands there too")                  \
	X(SECCOMP, "the process is confined by seccomp: nothing is injected")          \
	X(GS_USED, "the process uses the GS base itself")                              \
	X(LOCKED, "the process keeps all that it maps in memory (mlockall)")           \
	X(INJECT, "the resident code could not be mapped")                             \
	X(NEAR_MEMORY, "no memory near it could be mapped for its stub")               \
	X(REACH, "an instruction to be moved does not reach from the stub")            \
	X(PUN, "something is, or may come to be, where its punned jump would lead to") \
	X(MAPPINGS, "the process has too many mappings for one more")                  \
	X(CHANGED, "its bytes in memory are not those that were planned for")          \
	X(THREADS, "a thread could not be stopped outside the bytes")

enum keeper_reason {
#define KEEPER_REASON_ENUM(name, text) KEEPER_REASON_##name,
	KEEPER_REASONS(KEEPER_REASON_ENUM)
#undef KEEPER_REASON_ENUM
};

/*
 * Sites to add, ascending by address; several at one address fire in this
 * order. The memfd is shared: the keeper writes result and reason of each
 * before it replies. Reply: a = sites set, b = refused.
 */
struct keeper_site {
	uint64_t addr;
	uint32_t probe; /* index in the probe table; unused for HOLD */
	uint16_t kind;
	uint8_t result, reason;
	uint32_t arg0;		       /* offset of the instruction in the function */
	uint32_t first_range, nranges; /* RETURN: the function's parts */
	uint32_t plan; /* of fpid: number + 1 of its plan; 0: a breakpoint */
};

/*
 * A site with a plan (hook/hook.h) is hooked by a jump unless another site among its
 * bytes has none, or the process cannot be injected into. All sites of one plan follow
 * each other, and each is one of the plan's. When a site that is none of them comes to
 * hooked bytes later, the detour is undone and breakpoints serve all.
 */
struct keeper_sites {
	uint32_t nsites, nranges, nplans, pad;
	/*
	 * struct keeper_site sites[nsites];
	 * struct addr_range ranges[nranges];
	 * struct hook_plan plans[nplans];
	 */
};

/* What stood where a detour's bytes may be. */
struct keeper_restore {
	uint64_t addr;
	uint64_t jump; /* its jump or call of five bytes, which may be elsewhere */
	uint64_t home; /* where a thread goes that stands there; 0: it stays */
	uint8_t n;
	uint8_t original[HOOK_COVERED_MAX];
	uint8_t room[7];
};

/* What fires probes in all traced processes, without a site. */
enum keeper_siteless_kind {
	KEEPER_SITELESS_PROFILE,     /* value: ns; each running thread, at each turn */
	KEEPER_SITELESS_PROC,	     /* value: enum keeper_proc */
	KEEPER_SITELESS_CALL_ENTRY,  /* value: number of the system call */
	KEEPER_SITELESS_CALL_RETURN, /* the same; arg0 and arg1: the result */
	KEEPER_SITELESS_COUNT
};

/* Of the proc provider: KEEPER_PROC(name, probe name), with what arg0 on are. */
#define KEEPER_PROCS(X)                                                                \
	X(CREATE, "create")		/* process id of the child */                  \
	X(EXEC, "exec")			/* address of the path */                      \
	X(EXEC_FAILURE, "exec-failure") /* errno */                                    \
	X(EXEC_SUCCESS, "exec-success")                                                \
	X(EXIT, "exit")		    /* CLD_EXITED, CLD_KILLED, CLD_DUMPED */           \
	X(FAULT, "fault")	    /* FLT*, signal, its code, its address */          \
	X(LWP_CREATE, "lwp-create") /* thread id, process id */                        \
	X(LWP_EXIT, "lwp-exit")                                                        \
	X(LWP_START, "lwp-start")                                                      \
	X(SIGNAL_CLEAR, "signal-clear")	    /* signal */                               \
	X(SIGNAL_DISCARD, "signal-discard") /* as signal-send */                       \
	X(SIGNAL_HANDLE, "signal-handle")   /* signal, its siginfo_t, the handler */   \
	X(SIGNAL_SEND, "signal-send")	    /* thread, process, signal, sender or 0 */ \
	X(START, "start")

enum keeper_proc {
#define KEEPER_PROC_ENUM(name, text) KEEPER_PROC_##name,
	KEEPER_PROCS(KEEPER_PROC_ENUM)
#undef KEEPER_PROC_ENUM
		KEEPER_PROC_COUNT
};

struct keeper_siteless {
	uint32_t probe; /* index in the probe table */
	uint32_t kind;	/* enum keeper_siteless_kind */
	uint64_t value;
};

#endif
