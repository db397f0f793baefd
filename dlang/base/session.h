/* SPDX-License-Identifier: MIT */
/*
 * The state of one run of the compiler. All rooms share it; the state of one room is
 * behind a pointer to a struct that the rooms below do not know.
 */
#ifndef DLANG_BASE_SESSION_H
#define DLANG_BASE_SESSION_H

#include "dlang/base/ast.h"
#include "dlang/dlang.h"
#include "vm/base/host/arena.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

struct checker; /* check/checker.h */
struct image;	/* gen/image.h */

/* The part of a clause that is being checked: messages about -n programs show it. */
enum diag_part {
	DIAG_PLAIN,
	DIAG_PREDICATE, /* "in predicate: " */
	DIAG_ACTIONS,	/* "in action list: " */
};

struct diag_late; /* diag.c */

/* The diagnostics of one compilation: diag.c. */
struct diag_state {
	struct strbuf *messages; /* the caller's */
	uint32_t count;
	bool is_muted; /* errors are consequences of one that is reported */
	struct diag_late *late, **late_end;
	enum diag_part part;
	struct ast_pos last;
	char last_text[128];
	const char *hint; /* of the next error; NULL: none */
};

struct dlang {
	struct dlang_env env;
	struct dlang_options options;
	struct arena arena; /* all nodes, strings and types, until dlang_free() */
	const struct dlang_source *src; /* the program being compiled, else NULL */
	struct diag_state diag;
	struct strbuf unsettled; /* dlang_unsettled() */
	uint32_t nunsettled;
	uint32_t nclauses;	 /* of all programs so far */
	uint32_t nunits;	 /* programs and libraries so far, this one included */
	struct strmap typenames; /* the parser's: base/typename.def and typedefs */
	struct checker *checker;
	struct image *image; /* the generator's */
	/* The driver's: */
	bool has_standard;   /* the text of standard.c was compiled */
	struct strbuf trees; /* option tree */
};

/* Whether the source is a file. A library is one, also when a -n program needs it. */
static inline bool dlang_is_file(const struct dlang *d)
{
	return d->src->is_file || d->src->library;
}

/* The option strsize, or its default. */
static inline uint32_t dlang_strsize(const struct dlang *d)
{
	return d->options.strsize ? d->options.strsize : DLANG_STRSIZE_DEFAULT;
}

#endif
