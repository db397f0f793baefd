/* SPDX-License-Identifier: MIT */
/*
 * Plans of earlier runs. They are kept by module: a file with all plans that were made in
 * one go, for the same wants in the same file, by the same dtrace. What names them is
 *
 *	this dtrace (the file of the program that runs)
 *	the module's file: device, inode, size, times, build-id
 *	the functions that are known of it, which a separate debug file may have named
 *	what the processor checks (shadow stacks)
 *	each site: where, of which part of a function, what fires, and whether it may jump
 *
 * A file with another name, digest or length is not used, and each plan is compared with
 * what is wanted and with memory (tape.h and the caller): a plan for other code, or a
 * damaged one, is not used. That no branch leads into the bytes that a plan replaces is
 * what took the time to find out, and is believed. So the folder is as trusted as the
 * user: who can write there can also change the user's programs by ptrace.
 *
 * Beside the plans there may be one file with the exits of the module's functions, which
 * no wants name. tracer/exits/ says what is in it, and compares it with memory.
 */
#ifndef TRACER_PLANCACHE_PLANCACHE_H
#define TRACER_PLANCACHE_PLANCACHE_H

#include "symbols/symbols.h"
#include "tracer/plancache/tape.h"

/* What is wanted in a module: two sums, which all words change. A zeroed one is empty. */
struct plan_wants {
	uint64_t sum[2];
};

void plan_wants_add(struct plan_wants *w, uint64_t word);

/* Opens nothing before it is asked. Freed by plancache_free(). */
struct plancache *plancache_new(void);
void plancache_free(struct plancache *c);

/* c may be NULL in all of these: then nothing is kept. m's symbols have been loaded. */

/* Whether there may be plans for the module. */
bool plancache_knows(struct plancache *c, const struct module *m);
/* True: *out has plans for these wants. The caller releases it. */
bool plancache_read(struct plancache *c, const struct module *m,
		    const struct plan_wants *w, struct plan_tape *out);
void plancache_write(struct plancache *c, const struct module *m,
		     const struct plan_wants *w, const struct plan_tape *tape);
/* Those that plancache_read() gave do not fit: they are removed. */
void plancache_reject(struct plancache *c, const struct module *m,
		      const struct plan_wants *w);

/* The same of the module's exits: *out is empty before. False: there are none. */
bool plancache_read_exits(struct plancache *c, const struct module *m,
			  struct strbuf *out);
void plancache_write_exits(struct plancache *c, const struct module *m,
			   const struct strbuf *exits);
void plancache_reject_exits(struct plancache *c, const struct module *m);

#endif
