/* SPDX-License-Identifier: MIT */
/*
 * The keeper process as its front sees it. The keeper is the only user of ptrace. It
 * seizes targets, sets breakpoints, installs detours and runs clauses when breakpoints
 * are hit. It undoes every change on request, when the front dies, and before a target
 * is detached. The front starts it as
 *
 *	probekeeper FD FRONT-PID
 *
 * Its name and arguments do not say dtrace, so that pkill(1) does not match it. It leads
 * a process group of its own in the session of its front, and exchanges the messages
 * below over FD, a SOCK_SEQPACKET socket. When the socket or the front ends it restores
 * and detaches everything, and exits.
 *
 *	front  -- request ------------>  keeper		exactly one reply each,
 *	       <- reply (same serial) --		in order
 *	       <- event ----------------		at any time
 *
 * The front creates the memory files because it knows the sizes; the keeper maps them
 * and keeps private copies of image and probe table. Only the keeper opens a target's
 * memory. It passes the descriptor to the front, which reads text through it, and
 * restores text through it if the keeper dies.
 */
#ifndef TRACER_KEEPER_KEEPER_H
#define TRACER_KEEPER_KEEPER_H

#include "hook/hook.h"
#include "vm/base/base.h"
#include "vm/base/regs.h"
#include "vm/base/taddr.h"
#include "vm/tail_calls.h"
#include "vm/vm.h"

#define KEEPER_NAME	"probekeeper"
#define KEEPER_TEXT_MAX 512
#define KEEPER_FDS_MAX	5

/* What each message carries is documented at its member of struct keeper_msg. */
enum keeper_msg_type {
	/* Requests. */
	KEEPER_REQ_BLOCK = 1,  /* the program image and the home state block */
	KEEPER_REQ_PROBES,     /* the probe table */
	KEEPER_REQ_SEIZE,      /* begin to trace a process */
	KEEPER_REQ_SITES,      /* add sites */
	KEEPER_REQ_ROWS,       /* CFI rows of modules */
	KEEPER_REQ_FORGET,     /* a mapping has gone */
	KEEPER_REQ_DROP,       /* code has changed */
	KEEPER_REQ_LOST,       /* which sites has the process itself overwritten? */
	KEEPER_REQ_PYTHON,     /* where a Python interpreter keeps its state */
	KEEPER_REQ_RESUME,     /* resume the thread that the last event held */
	KEEPER_REQ_RELEASE,    /* restore and detach */
	KEEPER_REQ_DETOURS,    /* can the process have detours? */
	KEEPER_REQ_SITELESS,   /* the probes without a site */
	KEEPER_REQ_RESTORE,    /* restore text that a killed keeper has left */
	KEEPER_REQ_FOLLOW,     /* trace the children of a process as well */
	KEEPER_REQ_OFF,	       /* probes that have been switched off */
	KEEPER_REQ_SEMAPHORES, /* add one to semaphores of USDT probes */
	KEEPER_REQ_FRAMES,     /* functions whose frames fire when they are left */
	KEEPER_REQ_DUMPED,     /* a copy of a process is needed no more */
	KEEPER_REQ_NAMES,      /* names of Python frames among native ones */

	/* The reply to a request. */
	KEEPER_REPLY = 32,

	/* Events. */
	KEEPER_EV_EXEC = 64, /* a new image; the thread is held */
	KEEPER_EV_HOLD,	     /* a thread reached a KEEPER_SITE_HOLD; it is held */
	KEEPER_EV_EXIT,	     /* the last thread of a process has gone */
	KEEPER_EV_LOST,	     /* a process cannot be traced any more */
	KEEPER_EV_MISSED, /* samples of profile probes, and those that were not taken */
	KEEPER_EV_FORK,	  /* a followed child; it is held */
	KEEPER_EV_DOMAIN, /* a process changed its credentials */
	KEEPER_EV_EXCHANGE, /* the state block of a process (vm/state.h) */
	KEEPER_EV_BUSY,	    /* breakpoints of pid fire very often; once in a run */
	KEEPER_EV_COPY,	    /* a copy of a process, for dump() */
	KEEPER_EV_CHANGED,  /* a process has written over sites */
	KEEPER_EV_WRITABLE, /* a process can write to code that has detours */
	KEEPER_EV_WAITED,   /* threads of a process have waited for room */
};

enum keeper_seize_flag {
	KEEPER_SEIZE_CREATED = 1, /* started by -c: it is killed if the front dies */
};

/*
 * KEEPER_REQ_BLOCK, once, before any other request. Descriptors: 0 the program image,
 * which the keeper copies and verifies; 1 to 4 the regions of the home state block, in
 * their order, which it maps. The front has mapped them: it cannot map control for
 * writing any more when the reply comes.
 */
struct keeper_req_block {
	uint64_t image_bytes;
	uint32_t interprets; /* 1: clauses are interpreted, not made machine code */
	uint32_t ncopies;    /* that dump() may make of a process and its children */
};

/*
 * The requests that pass one memory file, descriptor 0. All but KEEPER_REQ_SITES copy it.
 *
 *	KEEPER_REQ_PROBES	struct vm_table. Replaces the table; the ids of probes
 *				stay valid.
 *	KEEPER_REQ_SITES	struct keeper_sites, for process pid. Results are written
 *				into it. Reply: struct keeper_sites_reply.
 *	KEEPER_REQ_ROWS		struct cfi_file (vm/base/cfi.h), for process pid:
 *				modules whose rows were not sent yet. Reply: struct
 *				keeper_rows_reply.
 *	KEEPER_REQ_SITELESS	struct keeper_siteless[]. Replaces the former ones.
 *	KEEPER_REQ_RESTORE	struct keeper_restore[], for process pid.
 *	KEEPER_REQ_SEMAPHORES	taddr[], for process pid: adds one to each of these words
 *				of 16 bits, but to none twice; taken away at the end.
 *				Reply: struct keeper_semaphores_reply.
 *	KEEPER_REQ_FRAMES	struct keeper_frame[], for process pid. Replaces the
 *				former ones. Frames are seen to be left at the sites of
 *				enum keeper_leave.
 *	KEEPER_REQ_NAMES	struct python_names_file (vm/base/python_name.h) of at
 *				most PYTHON_NAMES_MAX bytes, which the keeper maps and
 *				fills; once. From now on stacks have frames of Python.
 *	KEEPER_REQ_OFF		uint32_t[]: the indices of all probes that have been
 *				switched off (vm/meter.h). Sites of no other probe do
 *				nothing from now on, in all processes: breakpoints are
 *				removed, jumps lead nowhere.
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
 * KEEPER_REQ_FOLLOW: what the process forks from now on is traced as well, and its events
 * name this family.
 */
struct keeper_req_follow {
	int32_t family; /* process id */
};

/*
 * KEEPER_REQ_FORGET: the mapping at [lo, hi) of process pid has gone (dlclose). Its
 * sites and rows are forgotten, nothing is written. Reply: struct keeper_rows_reply.
 */
/* KEEPER_REQ_DROP has the same: the code there has been written anew, or will be. Its
 * breakpoints that still stand, in the program's own code, are taken out; none fires any
 * more, and others may be set there. */
struct keeper_req_forget {
	taddr lo, hi;
};

/*
 * KEEPER_REQ_LOST has the same: what the keeper has written there for sites stands no
 * more, because something else was mapped over it. The first sites in the range of which
 * that is true, and that follow each other, are forgotten; nothing is written. Reply:
 * struct keeper_lost_reply.
 */

/* KEEPER_REQ_PYTHON: process pid runs Python 3.11, whose _PyRuntime is at the address. */
struct keeper_req_python {
	taddr runtime;
};

/*
 * KEEPER_REQ_DUMPED: the process of a KEEPER_EV_COPY is killed. pid is that process. All
 * that are left die with the keeper.
 */

/*
 * KEEPER_REQ_DETOURS: for a listing, where no program was sent. The first process that
 * can have detours begins the trust domain.
 */
struct keeper_req_detours {
	uint32_t has_variables; /* vm_shares_variables() of the program */
};

/* What a stop costs where nothing is done in it, in ns; 0: it is not known. */
struct keeper_stop_cost {
	uint64_t median; /* from stop to stop */
	uint64_t way;	 /* from going on to the next stop: the least */
};

/* Reply to KEEPER_REQ_BLOCK. */
struct keeper_block_reply {
	struct keeper_stop_cost stop; /* with meters (vm/meter.h) */
};

/* Reply to KEEPER_REQ_SITES. */
struct keeper_sites_reply {
	uint32_t nset, nrefused; /* sites of the list */
};

#define KEEPER_SEMAPHORES_MAX 4096 /* of a process */

/* Reply to KEEPER_REQ_SEMAPHORES. */
struct keeper_semaphores_reply {
	uint32_t nrefused; /* that are not in writable data */
};

/* Reply to KEEPER_REQ_ROWS and KEEPER_REQ_FORGET. */
struct keeper_rows_reply {
	/*
	 * 1, in one reply for each process: resident code takes no stacks by rows from
	 * now on. Modules came and went so often that its list of them is full.
	 */
	uint32_t is_full;
};

/* Reply to KEEPER_REQ_LOST: where they were; lo and hi 0: all stand. */
struct keeper_lost_reply {
	taddr lo, hi;
};

/* Reply to KEEPER_REQ_DETOURS. */
struct keeper_detours_reply {
	uint32_t reason; /* enum keeper_reason; NONE: the process can have detours */
};

#define KEEPER_LIARS_MAX 16

/* Processes whose threads claim impossible numbers of firings, which do not count. */
struct keeper_liars {
	uint32_t n; /* of pid; KEEPER_LIARS_MAX: there may be more */
	int32_t pid[KEEPER_LIARS_MAX];
};

/*
 * Reply to KEEPER_REQ_RELEASE. The request restores and detaches process pid, which has
 * no data in its reply; or all processes if pid is 0.
 */
struct keeper_release_reply {
	/* Firings of fpid probes by what served their sites, since the keeper started. */
	uint64_t detour_hits, breakpoint_hits;
	uint64_t breakpoint_ns; /* spent by the keeper on breakpoint_hits */
	/* The breakpoint that served most of them, in one process. */
	uint64_t hottest_hits;
	uint32_t hottest_probe;	 /* index in the probe table */
	uint32_t hottest_offset; /* of its instruction in the probe's function */
	uint32_t
		nsleeping; /* threads asleep in the kernel, for which the keeper stays */
	/*
	 * Reads of target memory that do not end, and threads of abandoned processes that
	 * do not stop: the keeper's process may stay for them.
	 */
	uint32_t nlost;
	uint32_t nchildren; /* processes that targets made and nobody followed */
	/* Firings of all probes, whatever fired them; not those of diag:::fpid. */
	uint64_t fired;
	struct keeper_liars liars;
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

/*
 * When a thread is held at a KEEPER_SITE_HOLD: its arg0. Those of mappings are
 * for the instruction after that of a system call.
 */
enum keeper_hold {
	KEEPER_HOLD_ALWAYS,
	KEEPER_HOLD_MMAP,     /* it has mapped a file for execution */
	KEEPER_HOLD_MPROTECT, /* it has made memory executable */
	KEEPER_HOLD_MREMAP,   /* it has moved code with sites, which is as it was now */
	/* Behind mprotect(2) as well, where no new code matters: nothing is held.
	 * Breakpoints take the place of jumps in code that can be written to from now on;
	 * those of KEEPER_HOLD_MPROTECT do that too. */
	KEEPER_HOLD_WRITABLE,
	KEEPER_HOLDS
};

/* KEEPER_EV_HOLD: thread tid is at the site, and is held until KEEPER_REQ_RESUME. */
struct keeper_ev_hold {
	taddr addr;
	/*
	 * What it has mapped, or made executable, or where moved code was and is now;
	 * hi 0: it is at a KEEPER_HOLD_ALWAYS.
	 */
	struct addr_range mapped;
	/* 1: its process comes to such places so often that no thread is held at one of
	 * them any more (mapped/mapping_calls.h). */
	uint32_t is_often;
};

/* KEEPER_EV_EXIT: process pid has ended; tid was its last thread. */
struct keeper_ev_exit {
	int32_t wait_status; /* as of waitpid(2) */
	uint64_t cpu_ns; /* that its threads have run, since it began; 0: not known */
};

/*
 * KEEPER_EV_EXCHANGE: from now on threads of process pid write to a state block of their
 * own. Descriptors: its region layout, to be mapped read-only, and its exchange, which
 * the front owns. Control, which the front also maps read-only in this block, and
 * variables are those of the home block. It ends with the next KEEPER_EV_EXIT,
 * KEEPER_EV_EXEC or KEEPER_EV_LOST of the process, or when the process is released.
 */

/* KEEPER_EV_MISSED: of all processes, when they are released. */
struct keeper_ev_missed {
	uint64_t samples; /* that were due by the run times and not taken */
	uint64_t taken;
};

/*
 * KEEPER_EV_DOMAIN: process pid has other credentials now than those that it shares D
 * variables with. Breakpoints serve its sites from now on. text: what changed.
 */
struct keeper_ev_domain {
	uint32_t nsites; /* that had detours until now */
};

/*
 * KEEPER_EV_WRITABLE: process pid has made code writable; domain.nsites detours were in
 * it, whose probes breakpoints serve from now on.
 */

/* KEEPER_EV_BUSY: the limit of fire/pid_rate.h is exceeded in process pid. */
struct keeper_ev_busy {
	uint32_t probe; /* index in the probe table: the one that fired last */
};

/*
 * KEEPER_EV_COPY: thread tid of process pid called dump(). Process copy has the memory
 * that the process had then, without our changes; it is stopped, and never runs.
 * Descriptors: /proc/COPY/mem; a file with the notes of all threads for an ELF core, the
 * one of tid first. Without descriptors: text says why there is no copy.
 */
struct keeper_ev_copy {
	uint32_t number; /* as VM_COPY has returned it */
	int32_t copy;
};

/*
 * KEEPER_EV_WAITED: when process pid has ended, or is about to be released: how long its
 * threads have waited, together, until the front had read what the keeper had recorded.
 */
struct keeper_ev_waited {
	uint64_t ns;
};

#define KEEPER_CHANGED_MAX 64

/*
 * KEEPER_EV_CHANGED: at the end of process pid, or before it is released, there is other
 * code than its own, with ours, at sites that it has not unmapped. Nothing is written
 * there.
 */
struct keeper_ev_changed {
	uint32_t nprobes; /* that have such sites; the first of them, by table index: */
	uint32_t probes[KEEPER_CHANGED_MAX];
};

/*
 * Every message has this size. KEEPER_REQ_RELEASE, KEEPER_REQ_RESUME and
 * KEEPER_REQ_FOLLOW have pid alone. KEEPER_EV_LOST has pid, tid and text; the
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
		struct keeper_req_follow follow;
		struct keeper_req_python python;
		struct keeper_block_reply block_reply;
		struct keeper_sites_reply sites_reply;
		struct keeper_rows_reply rows_reply;
		struct keeper_semaphores_reply semaphores_reply;
		struct keeper_detours_reply detours_reply;
		struct keeper_lost_reply lost_reply;
		struct keeper_release_reply release_reply;
		struct keeper_ev_image image;
		struct keeper_ev_hold hold;
		struct keeper_ev_exit exit;
		struct keeper_ev_missed missed;
		struct keeper_ev_domain domain;
		struct keeper_ev_busy busy;
		struct keeper_ev_copy copy;
		struct keeper_ev_changed changed;
		struct keeper_ev_waited waited;
		struct keeper_req_detours detours;
	};
	char text
		[KEEPER_TEXT_MAX]; /* of a failed reply and KEEPER_EV_LOST: the reason */
};

enum keeper_site_kind {
	KEEPER_SITE_ENTRY,  /* before the instruction; arguments as the ABI says */
	KEEPER_SITE_OFFSET, /* the same; argN as at entry */
	KEEPER_SITE_RETURN, /* before a ret or jump that leaves the function */
	/* No probe. arg0: enum keeper_hold, which holds the thread (KEEPER_EV_HOLD), or
	 * enum keeper_leave. */
	KEEPER_SITE_HOLD,
	/* Added to one of the first three: diag:::fpid, which fires at that event. */
	KEEPER_SITE_RAW,
	/* Added as often as the number of the function's enum regs_convention ... */
	KEEPER_SITE_CONVENTION = 2 * KEEPER_SITE_RAW,
	/* ... and of its enum tail_role. */
	KEEPER_SITE_ROLE = 8 * KEEPER_SITE_CONVENTION,
};
_Static_assert((int)REGS_CONVENTIONS <= KEEPER_SITE_ROLE / KEEPER_SITE_CONVENTION,
	       "conventions have their bits of a kind");

/*
 * Where code leaves frames of the stack for good: in the functions of libgcc that throw,
 * and of the C library that jump.
 */
enum keeper_leave {
	/* the first instruction of a function that may end at KEEPER_LEAVE_CAUGHT */
	KEEPER_LEAVE_RAISE = KEEPER_HOLDS, /* ... an exception begins */
	KEEPER_LEAVE_RESUME, /* ... a frame was cleaned up for what left the ones below */
	KEEPER_LEAVE_FORCED, /* ... the end of a thread begins */
	/* mov %rcx,%rsp: the next two take the pc from the top of the stack */
	KEEPER_LEAVE_CAUGHT,
	/* the first instruction of a longjmp, with the jmp_buf as argument: of glibc,
	 * which mangles addresses in it; as musl has it */
	KEEPER_LEAVE_LONGJMP,
	KEEPER_LEAVE_LONGJMP_PLAIN,
	/* the first instruction of the function of LLVM's libunwind that goes on in
	 * another frame, with all registers there as argument */
	KEEPER_LEAVE_REGISTERS,
	/* The first of a few loads of rbp, rsp and perhaps the register of the jump that
	 * follows them: __builtin_longjmp(). No frame has changed yet. */
	KEEPER_LEAVE_LOADS,
	KEEPER_LEAVES,
};

/* Why a frame was left: arg1 of its probe. */
enum keeper_unwound { KEEPER_BY_EXCEPTION, KEEPER_BY_LONGJMP, KEEPER_BY_END };

/* A part of a function, for KEEPER_REQ_FRAMES. */
struct keeper_frame {
	struct addr_range range;
	taddr function; /* where it begins: arg0 counts from here */
	uint32_t probe; /* index in the probe table */
	uint32_t unused;
};

/* The event at the site, whichever of the two probes fires. */
static inline enum keeper_site_kind keeper_site_event(unsigned kind)
{
	return (enum keeper_site_kind)(kind % KEEPER_SITE_RAW);
}

static inline bool keeper_site_leaves(unsigned kind, uint32_t arg0)
{
	return kind == KEEPER_SITE_HOLD && arg0 >= KEEPER_LEAVE_RAISE;
}

static inline bool keeper_site_is_raw(unsigned kind)
{
	return kind & KEEPER_SITE_RAW;
}

static inline enum regs_convention keeper_site_convention(unsigned kind)
{
	return (enum regs_convention)(kind % KEEPER_SITE_ROLE / KEEPER_SITE_CONVENTION);
}

static inline enum tail_role keeper_site_role(unsigned kind)
{
	return (enum tail_role)(kind / KEEPER_SITE_ROLE);
}

enum keeper_site_result {
	KEEPER_SITE_BREAKPOINT = 1, /* with a plan, reason: why there is no detour */
	KEEPER_SITE_REFUSED = 2,    /* reason: enum keeper_reason */
	KEEPER_SITE_DETOUR = 3,	    /* a detour, as its plan says */
};

/* Why a breakpoint cannot be set: KEEPER_REASON(name, text). */
#define KEEPER_REASONS(X)                                                              \
	X(NONE, "")                                                                    \
	X(NOT_CODE, "the process cannot execute what is there")                        \
	X(UNREADABLE, "its memory cannot be read")                                     \
	X(UNDECODABLE, "the bytes are not an instruction")                             \
	X(BREAKPOINT, "another tool's breakpoint or an int instruction is there")      \
	X(CONTROL, "the instruction can be neither emulated nor moved")                \
	X(NO_SLOT, "no memory near it could be mapped for moved instructions")         \
	X(FILTERED, "a seccomp filter forbids the memory for moved instructions: "     \
		    "only root may suspend it")                                        \
	X(DISPATCHED, "the process handles its system calls itself "                   \
		      "(PR_SET_SYSCALL_USER_DISPATCH): nothing is mapped into it")     \
	X(UNWRITABLE, "its memory cannot be written")                                  \
	X(SHARED_MEMORY, "its memory is shared with other processes, or with a file")  \
	/* The front has found that. */                                                \
	X(RESTARTABLE, "it is in a restartable sequence, which a stop would restart")  \
	/* Why a planned detour became a breakpoint. */                                \
	X(SHARED, "a probe that needs a breakpoint is there too")                      \
	X(SECCOMP, "the process is confined by seccomp: nothing is injected")          \
	X(GS_USED, "the process uses the GS base itself")                              \
	X(DOMAIN, "the process has other credentials than those that share the "       \
		  "program's variables")                                               \
	X(LIMIT, "a limit of addresses (ulimit -v), of the process or of dtrace, has " \
		 "no room for the buffers")                                            \
	X(INJECT, "the resident code could not be mapped")                             \
	X(FULL, "the process has as many jumps as it can have")                        \
	X(NEAR_MEMORY, "no memory near it could be mapped for its stub")               \
	X(REACH, "an instruction to be moved does not reach from the stub")            \
	X(PUN, "something is, or may come to be, where its punned jump would lead to") \
	X(MAPPINGS, "the process has too many mappings for one more")                  \
	X(CHANGED, "its bytes in memory are not those that were planned for")          \
	X(WRITABLE, "the process can write to its code")                               \
	X(THREADS, "a thread could not be stopped outside the bytes")                  \
	X(ENDED, "tracing has ended before it was installed")

enum keeper_reason {
#define KEEPER_REASON_ENUM(name, text) KEEPER_REASON_##name,
	KEEPER_REASONS(KEEPER_REASON_ENUM)
#undef KEEPER_REASON_ENUM
};

/*
 * Sites to add, ascending by address. Those at one address fire in this order. The
 * memory file is shared: the keeper writes result and reason of each before it replies.
 */
struct keeper_site {
	taddr addr;
	uint32_t probe; /* index in the probe table; unused for HOLD */
	uint16_t kind;	/* enum keeper_site_kind */
	/*
	 * enum keeper_site_result, keeper_reason. A site that has KEEPER_SITE_REFUSED in
	 * the request is not set.
	 */
	uint8_t result, reason;
	/* Offset of the instruction in the function; HOLD: enum keeper_hold. */
	uint32_t arg0;
	/* RETURN: the function's parts. With REGS_CONVENTION_NOTE: number of the operands
	 * in the probe table, and 0. */
	uint32_t first_range, nranges;
	uint32_t plan; /* index + 1 of its plan in the list; 0: a breakpoint */
};

/*
 * A site with a plan (hook/hook.h) gets a detour, unless another site among the same
 * bytes has no plan, or the process cannot be injected into. The sites of one plan follow
 * each other, and each is one of the plan's. If another site is added among the bytes of
 * a detour later, the detour is removed and breakpoints serve all sites.
 */
#define KEEPER_SITES_OVER UINT32_C(0x80000000)

/* Code whose addresses have place keys (tracer/base/place_keys.h): first is that of
 * code.lo. */
struct keeper_places {
	struct addr_range code;
	uint64_t first;
};

struct keeper_sites {
	uint32_t nsites, nranges, nplans, nplaces;
	/*
	 * How many sites the keeper has come to. The front may add KEEPER_SITES_OVER to
	 * get the reply soon: no more sites are set, and what the list says of them is
	 * incomplete.
	 */
	_Atomic uint32_t progress;
	uint32_t room;
	/*
	 * struct keeper_site sites[nsites];
	 * struct addr_range ranges[nranges];
	 * struct keeper_places places[nplaces], ascending, apart;
	 * struct hook_plan plans[nplans];
	 */
};

/* The original bytes of a place where a keeper may have written a detour. */
struct keeper_restore {
	taddr addr;
	taddr jump; /* of its jump or call of five bytes; it may be another place */
	taddr resume_pc; /* where a thread at jump goes on; 0: at jump */
	uint8_t n;	 /* bytes at addr */
	uint8_t original[HOOK_COVERED_MAX];
	uint8_t pad[7];
};

/* Events that fire probes in all traced processes, without a site. */
enum keeper_siteless_kind {
	KEEPER_SITELESS_PROFILE, /* value: period in ns; fires in each running thread */
	KEEPER_SITELESS_PROC,	 /* value: enum keeper_proc */
	KEEPER_SITELESS_CALL_ENTRY,  /* value: number of the system call */
	KEEPER_SITELESS_CALL_RETURN, /* the same; arg0 and arg1: the result */
	KEEPER_SITELESS_COUNT
};

/* The proc provider: X(name, probe name), with arg0, arg1 and so on. */
#define KEEPER_PROCS(X)                                                                \
	X(CREATE, "create")		/* process id of the child */                  \
	X(EXEC, "exec")			/* address of the path */                      \
	X(EXEC_FAILURE, "exec-failure") /* errno */                                    \
	X(EXEC_SUCCESS, "exec-success")                                                \
	X(EXIT, "exit") /* CLD_EXITED, CLD_KILLED or CLD_DUMPED; its status, signal */ \
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

/* One probe without a site. */
struct keeper_siteless {
	uint32_t probe; /* index in the probe table */
	uint32_t kind;	/* enum keeper_siteless_kind */
	uint64_t value;
};

#endif
