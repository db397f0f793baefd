/* SPDX-License-Identifier: MIT */
/*
 * What of ours is in a process, kept in that process: for our SIGTRAP handler there
 * (hook/trap/), which runs when the keeper has died, and for the next run, which restores
 * what a dead one has left.
 *
 *	text page	struct trap_text, the handler	read and execute, private
 *	scratch page	arguments of system calls	read and write, private
 *	file "dtrace-undo"				read only (F_SEAL_FUTURE_WRITE)
 *		page 0	struct undo_head
 *		...	struct undo_memory[], then struct undo_semaphore[]
 *	more such files	struct undo_site[] or struct undo_patch[]: struct undo_part
 *
 * The keeper writes and never reads it. A process can map a file of this name with
 * anything in it, also one that another process has given it: the next run looks whether
 * the text page names the log, takes every word for a claim, and writes to the memory of
 * that process only (tracer/keeper/sites/stale.h).
 */
#ifndef HOOK_UNDO_LOG_H
#define HOOK_UNDO_LOG_H

#include "vm/base/base.h"

#include <stdatomic.h>

#define UNDO_MAGIC	UINT64_C(0x676f6c6f646e7544) /* "Dundolog" */
#define UNDO_VERSION	1u
#define UNDO_FILE	"dtrace-undo"
#define UNDO_PAGE	4096u
#define UNDO_PARTS_MAX	48u
#define UNDO_MEMORY_MAX 4096u
#define UNDO_SEMAPHORES 4096u
#define UNDO_NEXT	5u
#define UNDO_PATCH	32u

/* As rt_sigaction(2) takes it. */
struct trap_action {
	uint64_t handler, flags, restorer, mask;
};

#define TRAP_DEFAULT  UINT64_C(0) /* SIG_DFL */
#define TRAP_IGNORE   UINT64_C(1) /* SIG_IGN */
#define TRAP_SIGINFO  UINT64_C(0x4)
#define TRAP_RESTORER UINT64_C(0x04000000)
#define TRAP_ONSTACK  UINT64_C(0x08000000)
#define TRAP_RESTART  UINT64_C(0x10000000)
#define TRAP_NODEFER  UINT64_C(0x40000000)

/* A breakpoint. Its number is its place. */
struct undo_site {
	uint64_t at; /* 0: there is none of this number */
	uint8_t own; /* the program's byte */
	uint8_t is_set;
	/* What follows in the program's code: it tells that code from other code. */
	uint8_t nnext, next[UNDO_NEXT];
};
_Static_assert(sizeof(struct undo_site) == 16, "as in memory");

/* Bytes of a detour: of number N, those with the numbers 2 N and 2 N + 1. */
struct undo_patch {
	uint64_t at;
	uint64_t resume; /* where a thread at this address goes on; 0: it needs not */
	uint8_t n;	 /* 0: there is none of this number */
	uint8_t pad[7];
	uint8_t own[UNDO_PATCH], ours[UNDO_PATCH];
};
_Static_assert(sizeof(struct undo_patch) == 88, "as in memory");

/* Mapped by us, but for what head and parts name. */
struct undo_memory {
	uint64_t at, size; /* 0: there is none of this number */
};

/* Address of a raised semaphore of a USDT probe; 0: none. */
typedef uint64_t undo_semaphore;

enum undo_kind { UNDO_SITES, UNDO_PATCHES, UNDO_KINDS };

/* Entries of one kind, with the numbers from first on. */
struct undo_part {
	uint64_t at, size; /* of the mapping */
	uint32_t kind;
	uint32_t first;
	uint32_t room;
	_Atomic uint32_t used;
};

/*
 * The keeper is about to move a thread whose SIGTRAP it has not consumed. If it dies
 * before it resumes the thread, the signal is delivered there, and means nothing.
 */
struct undo_mark {
	_Atomic uint64_t pc; /* 0: none */
	_Atomic uint64_t sp; /* 0: any */
};

struct undo_head {
	uint64_t magic;
	uint32_t version, bytes;      /* bytes of this struct */
	uint64_t text, size;	      /* address of the text page; bytes of this file */
	struct trap_action ours, own; /* own: what the program has set */
	uint64_t leave_trap; /* pc after resident code's int3 (hook/resident.h); or 0 */
	uint32_t nmemory, nsemaphores; /* used so far */
	_Alignas(64) struct undo_mark mark;
	_Atomic uint32_t keeper; /* robust futex of the keeper */
	_Atomic uint32_t nparts;
	struct undo_part parts[UNDO_PARTS_MAX];
};
_Static_assert(sizeof(struct undo_head) <= UNDO_PAGE, "one page");

#define UNDO_KEEPER_DIED UINT32_C(0x40000000) /* FUTEX_OWNER_DIED */

#define UNDO_MEMORY_AT UNDO_PAGE
#define UNDO_SEMAPHORES_AT                                                             \
	(UNDO_MEMORY_AT + UNDO_MEMORY_MAX * sizeof(struct undo_memory))
#define UNDO_HEAD_BYTES (UNDO_SEMAPHORES_AT + UNDO_SEMAPHORES * sizeof(undo_semaphore))

/* The first bytes of trap.bin; offsets from there. */
#define TRAP_MAGIC   UINT32_C(0x50415254) /* "TRAP" */
#define TRAP_VERSION 2u
struct trap_text {
	uint32_t magic, version;
	uint32_t bytes;	   /* of trap.bin: a page at most */
	uint32_t handler;  /* the action of SIGTRAP */
	uint32_t restorer; /* and where it returns to */
	/* Semaphores of the log are lowered, though memory of it is still in use. */
	uint32_t is_lowered;
	uint64_t log; /* address of its struct undo_head; 0: there is none yet */
};

/* trap.bin as it was built. */
extern const unsigned char trap_bin[];

#endif
