/* SPDX-License-Identifier: MIT */
/*
 * A profile for pprof: stacks with values, and what is known of their addresses
 * (profile.proto). Its size is bounded: stacks that would exceed a limit are left out.
 */
#ifndef TRACER_PICTURES_PROFILE_H
#define TRACER_PICTURES_PROFILE_H

#include "tracer/output/ustack.h"

#define PROFILE_FRAMES (1u << 22)  /* of all stacks */
#define PROFILE_TEXT   (64u << 20) /* bytes of names and labels */
#define PROFILE_NAME   1024	   /* bytes of one; longer ones are cut */

struct profile;

/* A stack has one value of each of so many types. */
struct profile *profile_new(size_t nvalues);
void profile_free(struct profile *p);

/* What value i is: "samples" in "count", "sum" in "bytes". */
void profile_value_type(struct profile *p, size_t i, const char *type,
			const char *unit);
/*
 * A stack: its labels and frames, innermost first, in any order of these calls, then its
 * value of one type. Names may hold anything; ustack_each() makes the frames.
 */
void profile_add_label(struct profile *p, const char *key, const char *text, size_t n);
void profile_add_number(struct profile *p, const char *key, int64_t number);
void profile_add_frame(struct profile *p, const struct ustack_frame *f);
void profile_end_stack(struct profile *p, size_t i, int64_t value);

/* How many stacks there are, and how many were left out. */
uint64_t profile_stacks(const struct profile *p);
uint64_t profile_left_out(const struct profile *p);

/* What the file says of the names it has, and of the time of the run, ns. */
struct profile_facts {
	bool has_lines, has_inlined;
	uint64_t time; /* of its beginning, since the epoch */
	uint64_t duration;
};
/* Appends the file. False: it was too large for gzip, or for memory. */
bool profile_write(struct profile *p, const struct profile_facts *facts,
		   struct strbuf *to);

#endif
