/* SPDX-License-Identifier: MIT */
/*
 * The state of one run of the compiler that all its rooms share. A room keeps what is
 * its own in a member that only it (and rooms above it) can look into.
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

/* Which part of a clause is being checked: shown for string programs. */
enum diag_part {
	DIAG_PLAIN,
	DIAG_PREDICATE, /* "in predicate: " */
	DIAG_ACTIONS,	/* "in action list: " */
};

/* The diagnostics of one compilation: diag.c. */
struct diag_state {
	struct strbuf *messages; /* the caller's */
	uint32_t count;
	enum diag_part part;
	struct ast_pos last;
	char last_text[128];
};

struct dlang {
	struct dlang_env env;
	struct dlang_options options;
	struct arena arena; /* all nodes, strings and types, until dlang_free() */
	const struct dlang_source *src; /* being compiled */
	struct diag_state diag;
	uint32_t nclauses; /* of all programs so far */
	uint32_t nunits;   /* programs and libraries so far, with the present one */
	struct strmap typenames; /* the parser's: base/typename.def and typedefs */
	struct checker *checker;
	struct image *image; /* the generator's */
	/* The driver's: */
	bool has_standard;   /* the text of standard.c was compiled */
	struct strbuf trees; /* option tree */
};

/* A library is read like a script, whatever kind of program needs it. */
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
