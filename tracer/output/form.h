/* SPDX-License-Identifier: MIT */
/*
 * A form of the output: what becomes of records, rows of aggregations and messages.
 *
 * The consumer decides what is printed, and when; a form decides how. text_form.c is
 * DTrace's own text. The forms for other programs are in export/.
 *
 * Strings, names and bytes may come from a target: they hold anything.
 */
#ifndef TRACER_OUTPUT_FORM_H
#define TRACER_OUTPUT_FORM_H

#include "tracer/base/probe.h"
#include "tracer/records/drop_counts.h"
#include "vm/record.h"
#include "vm/tuple.h"

struct agg_view;    /* agg_view.h */
struct format;	    /* format.h */
struct format_args; /* format.h */

/* A record that is being printed; all pointers are valid until its end. */
struct form_record {
	const struct record *record;
	const struct probe *probe;
	const struct record *next; /* in the stream; NULL: none, or not looked for */
};

/* A fault of a clause. */
struct form_fault {
	const struct record *record;
	const struct probe *probe;
	const struct record_fault *fault;
	const char *what; /* "invalid address" */
	bool has_address;
	const char *text; /* the whole message, without "dtrace: " */
};

/* Records or data that were lost, since the last report. */
struct form_drop {
	enum drop kind;
	const char *tag; /* "PRINCIPAL" */
	uint64_t n;
	int64_t cpu;	  /* -1: not counted by CPU */
	const char *text; /* the whole message, without "dtrace: " */
};

struct form {
	const struct form_ops *ops;
};

/* Every member is set. A record's values come between its begin and its end. */
struct form_ops {
	void (*record_begin)(struct form *f, const struct form_record *r);
	void (*record_end)(struct form *f, const struct form_record *r);
	/* One value of trace(), stack(), usym() and the like. */
	void (*value)(struct form *f, const struct form_record *r,
		      const struct tuple_value *v);
	/* printf(); 0, or STATUS_BADFMT if the data is malformed. */
	int (*formatted)(struct form *f, const struct format *format,
			 const struct format_args *args);
	/* tracemem() */
	void (*memory)(struct form *f, const char *bytes, size_t n);
	/* print(): its text, with a newline. */
	void (*typed)(struct form *f, const char *text, size_t n);
	/* After typed(): the same value as a JSON object. NULL: not wanted. */
	void (*typed_json)(struct form *f, const char *object, size_t n);
	/* The sorted rows of v. printa() may have a format; NULL: none. time is that of
	 * the record with the printa(), or 0 at the end of the run. */
	void (*rows)(struct form *f, struct agg_view *v, const struct format *format,
		     uint64_t time);
	/* An empty line that sets DTrace's text apart from what is before it. */
	void (*newline)(struct form *f);
	void (*fault)(struct form *f, const struct form_fault *x);
	void (*drop)(struct form *f, const struct form_drop *x);
};

#endif
