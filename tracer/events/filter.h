/* SPDX-License-Identifier: MIT */
/*
 * A condition on an event of the kernel that the kernel itself can test, before it copies
 * the event: see "Event filtering" in Documentation/trace/events.rst.
 *
 * A filter is an or of terms, a term an and of comparisons of a field with a constant.
 */
#ifndef TRACER_EVENTS_FILTER_H
#define TRACER_EVENTS_FILTER_H

#include "vm/base/host/strbuf.h"

enum filter_op {
	FILTER_EQ,
	FILTER_LT,
	FILTER_LE,
	FILTER_BITS, /* any of the bits of value is set */
	FILTER_TEXT, /* the field is text */
	FILTER_PART, /* text is somewhere in the field */
};

struct filter_test {
	const char *field; /* its name; borrowed, as text */
	enum filter_op op;
	bool is_not;
	bool is_signed; /* how value is written */
	uint64_t value;
	const char *text; /* FILTER_TEXT, FILTER_PART */
};

#define FILTER_TERM_MAX 16

/* All of them are true. */
struct filter_term {
	struct filter_test tests[FILTER_TERM_MAX];
	uint32_t n;
};

/* Any of the terms is true. Zeroed: nothing passes. */
struct filter {
	struct {
		struct filter_term *data;
		size_t len, cap;
	} terms;
	bool passes_all;
};

void filter_release(struct filter *f);
/*
 * False: the term can never be true with the test. A test that there is no room for is
 * left out: the term is true more often.
 */
bool filter_term_add(struct filter_term *t, const struct filter_test *test);
/* A copy. A term without tests passes all. */
void filter_add(struct filter *f, const struct filter_term *t);
void filter_pass_all(struct filter *f);
/*
 * Simplifies f and appends its text. False: there is nothing to filter, or the kernel
 * would not take so much; out is as it was.
 */
bool filter_text(struct filter *f, struct strbuf *out);

/* Whether the kernel takes the text between quotation marks, and as itself. */
bool filter_can_quote(const char *text);

#endif
