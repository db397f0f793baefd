/* SPDX-License-Identifier: MIT */
/*
 * The D compiler: text -> tokens -> tree -> checked tree -> code -> image.
 * No global state. One struct dlang is one run of the command: all its
 * programs share variables, aggregations and types and are linked into one
 * image. The compiler knows nothing of processes: what it must ask goes
 * through struct dlang_env.
 */
#ifndef DLANG_DLANG_H
#define DLANG_DLANG_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"
#include "vm/base/host/strbuf.h"

/* Of the option strsize. */
#define DLANG_STRSIZE_DEFAULT 256

struct dlang;
struct types;	/* type.h */
struct typesrc; /* typesrc.h */

/* provider:module:function:name with macros expanded; an empty field is "". */
struct dlang_probe_desc {
	const char *field[4];
	uint32_t id; /* a bare probe identifier, else 0 */
};

/* Which fields a bare word fills: -n and text, -f, -m, -P. */
enum dlang_spec {
	DLANG_SPEC_NAME,
	DLANG_SPEC_FUNC,
	DLANG_SPEC_MOD,
	DLANG_SPEC_PROVIDER,
};

struct dlang_env {
	void *ctx;
	/*
	 * A clause (number in the final image) is enabled on what the
	 * description matches. Called once for each specifier in program order,
	 * while the clause is compiled, after its description was parsed and
	 * before its body. On failure e has tag and text (D_PDESC_ZERO, D_PROC_*).
	 */
	int (*probe)(void *ctx, uint32_t clause, const struct dlang_probe_desc *desc,
		     struct err *e);
	/* #pragma D option; value NULL when none was given. e->text is the
	 * reason alone: "Invalid option name". */
	int (*option)(void *ctx, const char *name, const char *value, struct err *e);
	/* A macro variable that is not a plain number of this process: $target.
	 * Returns false if there is no such macro. */
	bool (*macro)(void *ctx, const char *name, int64_t *value);
	/* Is there what "#pragma D depends_on class name" asks for (class: "provider",
	 * "module")? NULL: nothing is. */
	bool (*has)(void *ctx, const char *class, const char *name);
	const struct typesrc *types; /* of the target; NULL: none */
};

/* Compile-time options; pointers borrowed for the life of the dlang. */
struct dlang_options {
	uint32_t strsize;				  /* 0: 256 */
	uint64_t stackframes, ustackframes, jstackframes; /* 0: 20, 20, 50 */
	uint64_t maxframes; /* of any stack; 0: no limit */
	bool errtags;	    /* [D_TAG] in messages */
	bool argref, defaultargs, empty;
	bool wants_zero_ok; /* zdefs: passed on for messages only */
	bool nolibs;	    /* without the standard library */
	bool pspec;	    /* words that may be types or specifiers are specifiers */
	uint32_t version;   /* of the language, by dlang_version(); 0: the latest */
	const char *amin;   /* least stability of what is used; NULL: any */
	uint32_t tree;	    /* dumps of the tree to keep: enum dlang_tree bits */
	int argc;	    /* operands $1.. */
	char *const *argv;
};

/* Which trees of each declaration and clause dlang_trees() is to hold. */
enum dlang_tree {
	DLANG_TREE_PARSED = 1,
	DLANG_TREE_CHECKED = 2,
	DLANG_TREE_CODE = 4,
};

struct dlang *dlang_new(const struct dlang_env *env);
void dlang_free(struct dlang *d);
/* The types of the run, valid as long as d. */
struct types *dlang_types(struct dlang *d);
/* May be changed between compilations (pragmas do). */
struct dlang_options *dlang_options(struct dlang *d);

struct dlang_source {
	const char *text;    /* terminated */
	const char *name;    /* script path, or the argument text itself */
	const char *arg0;    /* $0 */
	bool is_file;	     /* -s: positions are "line N: " */
	const char *library; /* path of the D library that text is; NULL: a program.
			      * name is that of the program that needs it */
	enum dlang_spec spec;
};

struct dlang_program {
	uint32_t first_clause, nclauses; /* numbers in the image */
};

/*
 * Compiles one program. On errors returns STATUS_SYNTAX and messages holds
 * one or more diagnostics, separated by one NUL byte each and read with
 * dlang_message(); nothing of the failed program stays enabled: the caller
 * ends the run. Each diagnostic is printed as "dtrace: " text "\n": its first
 * line is the whole classic message ("failed to compile script x.d: line 3:
 * ..."), further lines belong to it and stand as they are.
 */
int dlang_compile(struct dlang *d, const struct dlang_source *src,
		  struct dlang_program *out, struct strbuf *messages);

/* The diagnostic after previous (NULL: the first), NULL when there is no more. */
const char *dlang_message(const struct strbuf *messages, const char *previous);

/* All programs compiled so far as one image (malloc'ed; caller frees). */
int dlang_link(struct dlang *d, void **image, size_t *size, struct err *e);

/* What a print() action recorded. */
struct dlang_value {
	const void *bytes; /* of the value, as the D type lays it out; borrowed */
	size_t n;
	size_t limit; /* option printsize: longer text is cut, and ends in "..." */
	/* Appends the name of a function of the target to out; false: not known, or
	 * symbol is NULL. */
	bool (*symbol)(void *ctx, uint64_t address, struct strbuf *out);
	void *ctx;
};
/*
 * Replaces out by the text of the value, newline included, that the print()
 * action with this number in the image recorded; by nothing if it is none.
 */
void dlang_print(struct dlang *d, uint32_t action, const struct dlang_value *v,
		 struct strbuf *out);

/*
 * Dumps of the passes, for golden tests and -x tree: what = "tokens", "tree",
 * "typed", "code". Diagnostics follow the dump, one after the other.
 */
int dlang_dump(struct dlang *d, const struct dlang_source *src, const char *what,
	       struct strbuf *out);

/* The trees kept so far by the option tree; valid until the next compilation. */
const char *dlang_trees(const struct dlang *d);

/*
 * "1.6.2" as a number that grows with the version: INVAL when it is not written
 * like one or too large, NOENT when there was no such version.
 */
int dlang_version(const char *text, uint32_t *version);
/* The latest. */
uint32_t dlang_version_latest(void);
/* Whether text is a triplet such as "Stable/Evolving/Common". */
bool dlang_is_stability(const char *text);

/* The C header of the providers that the programs declare; name: of the file. */
void dlang_header(struct dlang *d, const char *name, struct strbuf *out);

/* -v: stability triplets of a compiled program, "Stable/Stable/Common" etc. */
struct dlang_stability {
	const char *description[3]; /* name, data, class */
	const char *statement[3];
};
void dlang_stability(const struct dlang *d, const struct dlang_program *p,
		     struct dlang_stability *out);

#endif
