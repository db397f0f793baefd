/* SPDX-License-Identifier: MIT */
/*
 * What traced processes say about the code that they make at run time: their perf maps
 * (/tmp/perf-PID.map, in the root and by the number that the process sees) and jitdump
 * files (jit-PID.dump, found by the page that perf's convention has them map).
 *
 * A map outlives its process: stacks are often printed when it has ended.
 */
#ifndef TRACER_JIT_JIT_H
#define TRACER_JIT_JIT_H

#include "tracer/jit/code_map.h"

/* The module field of a description that means such code. */
#define JIT_MODULE "jit"

struct jit;

/* note() gets one line about a process, for the user; it may be NULL. */
struct jit *jit_new(void (*note)(void *ctx, int pid, const char *text), void *ctx);
void jit_free(struct jit *j);

/*
 * The process runs this program from now on. Its root directory stays open, for the first
 * JIT_HELD_MAX processes; maps of others are read while they live.
 */
#define JIT_HELD_MAX 256
void jit_follow(struct jit *j, int pid);
/* The program of the process has gone: its maps are read no more, but stay known. */
void jit_end(struct jit *j, int pid);

/* Reads what processes have added, if it is time for that. */
void jit_turn(struct jit *j, uint64_t now_ns);
/* When jit_turn() is to be called again; UINT64_MAX: no process is followed. */
uint64_t jit_wakeup(const struct jit *j);

/*
 * The function that holds the address, or NULL; valid until the next call. The newest is
 * meant. Reads the map anew if it may have grown.
 */
const struct code_function *jit_at(struct jit *j, uint64_t pid, uint64_t address);

/* Reads what the process has added, whether it is time for that or not. */
void jit_look(struct jit *j, uint64_t pid);
/* Another number for each image of a process; 0: it is not followed. */
uint64_t jit_image(const struct jit *j, uint64_t pid);
/* Changes whenever what the process lists has changed; 0: it lists nothing. */
uint64_t jit_generation(const struct jit *j, uint64_t pid);
/*
 * Calls each() for the functions of the process with serial numbers above `after`, in the
 * order of their addresses, until it returns false. It must not call other functions of
 * this file.
 */
void jit_each(struct jit *j, uint64_t pid, uint32_t after,
	      bool (*each)(void *ctx, const struct code_function *f, bool is_replaced),
	      void *ctx);

#endif
