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

/* What each message carries is documented at its member of struct keeper_msg. */
enum keeper_msg_type {
	/* Requests. */
	KEEPER_REQ_BLOCK = 1, /* the program image and the state block */
	KEEPER_REQ_PROBES,    /* the probe table */
	KEEPER_REQ_SEIZE,     /* begin to trace a process */
	KEEPER_REQ_SITES,     /* add sites */
	KEEPER_REQ_ROWS,      /* CFI rows of modules */
	KEEPER_REQ_FORGET,    /* a mapping has gone */
	KEEPER_REQ_RESUME,    /* resume the thread that the last event held */
	KEEPER_REQ_RELEASE,   /* restore and detach */
	KEEPER_REQ_DETOURS,   /* can the process have detours? */
	KEEPER_REQ_SITELESS,  /* the probes without a site */
	KEEPER_REQ_RESTORE,   /* restore text that a killed keeper has left */
	KEEPER_REQ_FOLLOW,    /* trace the children of a process as well */

	/* The reply to a request. */
	KEEPER_REPLY = 32,

	/* Events. */
	KEEPER_EV_EXEC = 64, /* a new image; the thread is held */
	KEEPER_EV_HOLD,	     /* a thread reached a KEEPER_SITE_HOLD; it is held */
	KEEPER_EV_EXIT,	     /* the last thread of a process has gone */
	KEEPER_EV_LOST,	     /* a process cannot be traced any more */
	KEEPER_EV_MISSED,    /* samples of profile probes that were not taken */
	KEEPER_EV_FORK,	     /* a followed child; it is held */
};

enum keeper_seize_flag {
	KEEPER_SEIZE_CREATED = 1, /* started by -c: it is killed if the front dies */
};

/*
 * KEEPER_REQ_BLOCK, once, before any other request. Descriptors: 0 the program image,
 * which the keeper copies and verifies; 1 the state block, which it maps.
 */
struct keeper_req_block {
	uint64_t image_bytes, block_bytes; /* sizes of the two memory files */
};

/*
 * The requests that pass one memory file, descriptor 0. All but KEEPER_REQ_SITES copy it.
 *
 *	KEEPER_REQ_PROBES	struct vm_table. Replaces the table; the ids of probes
 *				stay valid.
 *	KEEPER_REQ_SITES	struct keeper_sites, for process pid. Results are written
 *				into it. Reply: struct keeper_sites_reply.
 *	KEEPER_REQ_ROWS		struct unwind_file (vm/base/unwind.h), for process pid:
 *				modules whose rows were not sent yet. Reply: struct
 *				keeper_rows_reply.
 *	KEEPER_REQ_SITELESS	struct keeper_siteless[]. Replaces the former ones.
 *	KEEPER_REQ_RESTORE	struct keeper_restore[], for process pid.
 */
struct keeper_req_memory {
	uint64_t bytes; /* that the sender has written; the file is at least as long */
};

/*
 * KEEPER_REQ_SEIZE: traces all threads of process pid; none of them stops for it. The
 * reply passes a descriptor of /proc/PID/mem, which the front owns.
 */
struct keeper_req_seize {
	uint32_t flags; /* of enum keeper_seize_flag */
};

/*
 * KEEPER_REQ_FORGET: the mapping at [lo, hi) of process pid has gone (dlclose). Its
 * sites and rows are forgotten, nothing is written. Reply: struct keeper_rows_reply.
 */
struct keeper_req_forget {
	taddr lo, hi;
};

/* Reply to KEEPER_REQ_SITES. */
struct keeper_sites_reply {
	uint32_t nset, nrefused; /* sites of the list */
};

/* Reply to KEEPER_REQ_ROWS and KEEPER_REQ_FORGET. */
struct keeper_rows_reply {
	/*
	 * 1, in one reply for each process: resident code takes no stacks by rows from
	 * now on. Modules came and went so often that its list of them is full.
	 */
	uint32_t is_full;
};

/* Reply to KEEPER_REQ_DETOURS. */
struct keeper_detours_reply {
	uint32_t reason; /* enum keeper_reason; NONE: the process can have detours */
};

/*
 * Reply to KEEPER_REQ_RELEASE. The request restores and detaches process pid, which has
 * no data in its reply; or all processes if pid is 0.
 */
struct keeper_release_reply {
	/* What served the sites of fpid probes, since the keeper started. */
	uint64_t detour_hits, breakpoint_hits;
	uint64_t breakpoint_ns; /* spent by the keeper on breakpoint_hits */
	/* The breakpoint that served most of them, in one process. */
	uint64_t hottest_hits;
	uint32_t hottest_probe;	 /* index in the probe table */
	uint32_t hottest_offset; /* of its instruction in the probe's function */
	uint32_t
		nsleeping; /* threads asleep in the kernel, for which the keeper stays */
};

/*
 * KEEPER_EV_EXEC: process pid has a new image, without a site; it has run no
 * instruction. A child that shared its parent's memory until now (vfork) is first
 * announced here.
 *
 * KEEPER_EV_FORK: pid is a new child with memory of its own. Changes that it inherited
 * are undone; it has run no instruction.
 *
 * Thread tid is held until KEEPER_REQ_RESUME. The event passes a descriptor of
 * /proc/PID/mem, which the front owns.
 */
struct keeper_ev_image {
	/* The process of KEEPER_REQ_FOLLOW that a new child descends from; else 0. */
	int32_t family;
};

/* KEEPER_EV_HOLD: thread tid is at the site, and is held until KEEPER_REQ_RESUME. */
struct keeper_ev_hold {
	taddr addr;
};

/* KEEPER_EV_EXIT: process pid has ended; tid was its last thread. */
struct keeper_ev_exit {
	int32_t wait_status; /* as of waitpid(2) */
};

/* KEEPER_EV_MISSED: of all processes. */
struct keeper_ev_missed {
	uint64_t samples; /* that were due and not taken, since the last such event */
};

/*
 * Every message has this size. KEEPER_REQ_RELEASE, KEEPER_REQ_RESUME, KEEPER_REQ_FOLLOW
 * and KEEPER_REQ_DETOURS have pid alone. KEEPER_EV_LOST has pid, tid and text; the
 * process runs on untraced.
 */
struct keeper_msg {
	uint32_t type;	  /* enum keeper_msg_type */
	uint32_t serial;  /* of a request, which its reply repeats; 0 in events */
	int32_t status;	  /* of a reply: 0 or enum status */
	int32_t pid, tid; /* the process (thread group) and thread that it concerns */
	uint32_t nfds;	  /* descriptors that come along: the receiver owns them */
	union {
		struct keeper_req_block block;
		struct keeper_req_memory memory;
		struct keeper_req_seize seize;
		struct keeper_req_forget forget;
		struct keeper_sites_reply sites_reply;
		struct keeper_rows_reply rows_reply;
		struct keeper_detours_reply detours_reply;
		struct keeper_release_reply release_reply;
		struct keeper_ev_image image;
		struct keeper_ev_hold hold;
		struct keeper_ev_exit exit;
		struct keeper_ev_missed missed;
	};
	char text
		[KEEPER_TEXT_MAX]; /* of a failed reply and KEEPER_EV_LOST: the reason */
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
