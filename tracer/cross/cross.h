/* SPDX-License-Identifier: MIT */
/*
 * One of the runs of -x check: the programs' probes of pid and of fpid all become probes
 * of one of the two. Clauses of our own count each of them, after those of the programs,
 * and add up its arguments. At the end that is written to a file (tracer_check()).
 */
#ifndef TRACER_CROSS_CROSS_H
#define TRACER_CROSS_CROSS_H

#include "dlang/dlang.h"
#include "tracer/base/core.h"

struct cross;

struct cross *cross_new(bool by_jumps, int fd);
void cross_free(struct cross *c);

/*
 * A description of pid or fpid gets the provider of this run, and is noted; others stay.
 * The new field is valid until cross_free().
 */
void cross_turn(struct cross *c, struct dlang_probe_desc *desc);
/* How many were noted. */
size_t cross_count(const struct cross *c);

/*
 * While its own clauses are compiled, one after the other: cross_next() begins the next
 * clause; false: there are none under way. cross_description() gives description i as far
 * as it is of events that this clause is for; false: it has none. cross_takes() says
 * whether the clause is for a probe with this name; true for clauses of the programs.
 */
bool cross_next(struct cross *c);
bool cross_description(const struct cross *c, size_t i, struct dlang_probe_desc *out);
bool cross_takes(const struct cross *c, const char *name);
/* Compiles them. 0 or -1; messages get what is wrong. */
int cross_compile(struct cross *c, struct dlang *d, struct strbuf *messages);

/* Destructive actions would be done several times: STATUS_PERM. */
int cross_refuse(struct err *e);
/* How many hits jumps have served, and breakpoints. c may be NULL. */
void cross_note_hits(struct cross *c, const struct keeper_release_reply *served);
/*
 * After the last clause has run: writes the file, or says why it cannot. The aggregations
 * of the own clauses are not printed then.
 */
bool cross_write(const struct cross *c, struct tracer *t);

#endif
