/* SPDX-License-Identifier: MIT */
/*
 * What the machine asks of its surroundings. The front, the keeper, the
 * resident code and the tests each fill one in. Callbacks run inside a
 * clause: they must not block and not fire probes.
 */
#ifndef VM_ENV_H
#define VM_ENV_H

#include "vm/base/base.h"
#include "vm/base/taddr.h"
#include "vm/program.h"

/* In the place of a descriptor: the file of the disk's request that fires. */
#define DESCRIPTOR_OF_REQUEST (-2)

/* What a destructive action does to the thread or process that fired. */
enum vm_control {
	VM_RAISE, /* value: signal number, sent to the process */
	VM_STOP,  /* the process is stopped, as by SIGSTOP, when the firing ends */
	VM_CHILL, /* value: ns of busy waiting; STATUS_LIMIT beyond the budget */
	/*
	 * The process is copied when the firing ends. The number of the copy, from 1 on;
	 * 0: there may be no more.
	 */
	VM_COPY,
};

/*
 * The callbacks below the first four may be NULL in a context that cannot serve them:
 * a clause that needs one is compiled for other contexts (subr.def).
 */
struct vm_env {
	void *ctx;
	/*
	 * Target memory: n bytes at addr. 0, or STATUS_FAULT with *bad the
	 * first unreadable address (or addr when it is not known).
	 */
	int (*read)(void *ctx, taddr addr, void *buf, size_t n, taddr *bad);
	/*
	 * Target memory up to and with the first NUL, at most n bytes: the
	 * count before the NUL, or n if there was none; STATUS_FAULT when
	 * unreadable memory comes first, with *bad as above.
	 */
	int64_t (*read_str)(void *ctx, taddr addr, char *buf, size_t n, taddr *bad);
	/* Value of an ARG (index = N of argN), ENV or INDEXED built-in; an
	 * index out of range or a variable this context lacks: STATUS_RANGE. */
	int (*builtin)(void *ctx, enum builtin id, uint64_t index, uint64_t *value);
	/* Text of an ENVSTR built-in into buf of cap bytes, terminated. */
	int (*builtin_str)(void *ctx, enum builtin id, char *buf, size_t cap);
	/* Writes n bytes of target memory at addr: 0, or STATUS_FAULT with *bad. */
	int (*write)(void *ctx, taddr addr, const void *buf, size_t n, taddr *bad);
	/*
	 * The user stack of the firing thread: return addresses, innermost (the
	 * present pc) first, at most n. The count; 0 where there is no such thread.
	 * pcs NULL: they are only counted.
	 */
	uint32_t (*stack)(void *ctx, uint64_t *pcs, uint32_t n);
	/* The same of the kernel's stack; NULL: there is no kernel side. */
	uint32_t (*kernel_stack)(void *ctx, uint64_t *pcs, uint32_t n);
	/* 0, STATUS_RANGE (no such signal), STATUS_LIMIT; VM_COPY: see there. */
	int (*control)(void *ctx, enum vm_control what, uint64_t value);
	/* 1 if the firing process is pid or descends from it, else 0. */
	int (*progenyof)(void *ctx, uint64_t pid);
	/*
	 * What is known of a descriptor of the firing process (-1: of none,
	 * DESCRIPTOR_OF_REQUEST): the
	 * number, or 0 and a text in buf of cap bytes, terminated. what is an enum
	 * fdinfo of vm/base/proc/fdinfo.h.
	 */
	int64_t (*descriptor)(void *ctx, int fd, uint32_t what, char *buf, size_t cap);
	/*
	 * The Python frames of the firing thread as text, at most n, in buf of cap bytes,
	 * terminated: the length. 0 where there are none.
	 */
	size_t (*python)(void *ctx, char *buf, size_t cap, uint32_t n);
	/* The processor, called only where it is needed; NULL: vm.cpu is used. */
	uint32_t (*cpu)(void *ctx);
	/* Wakes the waiter on the word (a futex); NULL: there is none. */
	void (*wake)(void *ctx, _Atomic uint32_t *word);
	/*
	 * The firing has left its slot without much room (state_wants_wait()). NULL: who
	 * fires does not wait.
	 */
	void (*wait)(void *ctx);
	/* The pool needs more chunks (state_open_chunks()); NULL: it has all. */
	void (*grow)(void *ctx);
};

#endif
