/* SPDX-License-Identifier: MIT */
/*
 * The D compiler: text -> tokens -> tree -> checked tree -> code -> image.
 *
 * One struct dlang is one run of the command: its programs share variables,
 * aggregations and types, and are linked into one image. There is no global state. The
 * compiler knows nothing of processes: it asks its caller through struct dlang_env.
 */
#ifndef DLANG_DLANG_H
#define DLANG_DLANG_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"
#include "vm/base/host/strbuf.h"

/* The default of the option strsize, in bytes. */
#define DLANG_STRSIZE_DEFAULT 256

struct dlang;
struct types;	/* type.h */
struct typesrc; /* typesrc.h */

/* provider:module:function:name, macros expanded; an empty field is "". */
struct dlang_probe_desc {
	const char *field[4];
	uint32_t id; /* if the description is the number of a probe; else 0 */
};

/* Which processes a predicate lets through; named by the process id of one. */
enum dlang_relation {
	DLANG_PROCESS,	/* pid == N: this one */
	DLANG_CHILDREN, /* ppid == N: its children */
	DLANG_PROGENY,	/* progenyof(N): it and its descendants */
};

/* The last field that a description has: the option -n (and scripts), -f, -m, -P. */
enum dlang_spec {
	DLANG_SPEC_NAME,
	DLANG_SPEC_FUNC,
	DLANG_SPEC_MOD,
	DLANG_SPEC_PROVIDER,
};

/* A result of dlang_env.probe() that is neither success nor failure. */
#define DLANG_UNSETTLED 1

struct dlang_env {
	void *ctx;
	/*
	 * Enables a clause (by its number in the image) on the probes that the
	 * description matches. Called for each description in program order, after
	 * the clause is parsed and before it is checked. On failure e has tag and
	 * text (D_PDESC_ZERO, D_PROC_*). DLANG_UNSETTLED: later clauses decide
	 * whether e is an error; its diagnostic is kept for dlang_unsettled().
	 */
	int (*probe)(void *ctx, uint32_t clause, const struct dlang_probe_desc *desc,
		     struct err *e);
	/*
	 * The predicate of a clause without errors is true only in the processes that
	 * the relation and the number name, or in those of another call. Called before
	 * the next clause is parsed. NULL: nobody wants to know.
	 */
	int (*process)(void *ctx, uint32_t clause, enum dlang_relation relation,
		       int pid, struct err *e);
	/* #pragma D option; value NULL: none was given. On failure e->text is only
	 * the reason: "Invalid option name". */
	int (*option)(void *ctx, const char *name, const char *value, struct err *e);
	/* A macro variable that is no property of the dtrace process, such as
	 * $target. False: there is no such macro. */
	bool (*macro)(void *ctx, const char *name, int64_t *value);
	/* Whether the class ("provider", "module") and name of a "#pragma D depends_on"
	 * are available. NULL: none are. */
	bool (*has)(void *ctx, const char *class, const char *name);
	const struct typesrc *types; /* of the target; NULL: D types only */
};

/* Compile-time options; strings are borrowed until dlang_free(). */
struct dlang_options {
	uint32_t strsize;				  /* 0: 256 */
	uint64_t stackframes, ustackframes, jstackframes; /* 0: 20, 20, 50 */
	uint64_t maxframes; /* of any stack; 0: no limit */
	uint32_t tregs;	    /* keys of an array or aggregation; 0: 8 */
	bool errtags;	    /* [D_TAG] in messages */
	bool argref, empty;
	/* What the macro arguments that argv lacks are, by their numbers, separated by
	 * commas; those after the last are 0, "" and an empty field. NULL: an error. */
	const char *defaultargs;
	bool wants_zero_ok; /* zdefs */
	bool nolibs;	    /* leave out the standard library */
	bool pystack;  /* frames of Python are in ustack(): only the keeper makes it */
	bool printstl; /* print() reads the content of strings, vectors and the like */
	bool pspec;    /* a word that may be a type or a description is a description */
	uint32_t version; /* of the language, by dlang_version(); 0: the latest */
	const char *amin; /* least stability a program may use; NULL: any */
	uint32_t tree; /* the dumps that dlang_trees() returns: enum dlang_tree bits */
	int argc;      /* operands $1.. */
	char *const *argv;
};

/* Bits of the option tree: dumps of each clause. */
enum dlang_tree {
	DLANG_TREE_PARSED = 1,
	DLANG_TREE_CHECKED = 2,
	DLANG_TREE_CODE = 4,
};

struct dlang *dlang_new(const struct dlang_env *env);
void dlang_free(struct dlang *d);
/* The types of the run, valid until dlang_free(). */
struct types *dlang_types(struct dlang *d);
/* The options, which the caller may change between compilations and in env.option(). */
struct dlang_options *dlang_options(struct dlang *d);

struct dlang_source {
	const char *text;    /* NUL-terminated */
	const char *name;    /* script path, or the argument text itself */
	const char *arg0;    /* $0 */
	bool is_file;	     /* -s: positions are "line N: " */
	const char *library; /* the path, if text is a D library; else NULL. name is
			      * that of the program that needs it */
	enum dlang_spec spec;
};

struct dlang_program {
	uint32_t first_clause, nclauses; /* numbers in the image */
};

/*
 * Compiles one program. On errors returns STATUS_SYNTAX; the caller then ends the run.
 * messages gets the diagnostics, which dlang_message() enumerates. The caller prints
 * each as "dtrace: " text "\n": its first line is the classic message ("failed to
 * compile script x.d: line 3: ..."), the following ones are printed as they are.
 */
int dlang_compile(struct dlang *d, const struct dlang_source *src,
		  struct dlang_program *out, struct strbuf *messages);

/* The diagnostic after previous (NULL: the first); NULL at the end. */
const char *dlang_message(const struct strbuf *messages, const char *previous);

/*
 * The diagnostics of descriptions for which env.probe() returned DLANG_UNSETTLED, of all
 * programs so far, as dlang_compile() gives its messages. Valid until dlang_free().
 */
const struct strbuf *dlang_unsettled(const struct dlang *d);

/* Links all programs so far into one image (malloc'ed; the caller frees it). */
int dlang_link(struct dlang *d, void **image, size_t *size, struct err *e);

enum dlang_print_form {
	DLANG_PRINT_CLASSIC, /* text as DTrace has it: integers in hexadecimal */
	DLANG_PRINT_NATURAL, /* the same, but numbers as their type reads them */
	DLANG_PRINT_JSON,    /* {"type":"int","value":-7} */
};

/* A value that a print() action recorded. */
struct dlang_value {
	const void *bytes;  /* in the layout of its D type; borrowed */
	size_t n;	    /* bytes */
	const void *pieces; /* the second value of the record: what was read with the
			     * first for printstl; NULL: there is none */
	size_t limit; /* option printsize: longer text is cut and ends in "..."; JSON has
		       * no further items, and "cut":true */
	enum dlang_print_form form;
	/* Appends the name of a function of the target to out; false: unknown. May be
	 * NULL. */
	bool (*symbol)(void *ctx, uint64_t address, struct strbuf *out);
	void *ctx;
};
/*
 * Replaces out by the text of a value that a print() action recorded, newline included
 * (JSON has none).
 * action is its number in the image; if it is no print(), out is empty.
 */
void dlang_print(struct dlang *d, uint32_t action, const struct dlang_value *v,
		 struct strbuf *out);

/*
 * Compiles a program and appends the dump of a pass, for golden tests. what is "tokens",
 * "tree", "typed" or "code", else INVAL. The diagnostics follow the dump.
 */
int dlang_dump(struct dlang *d, const struct dlang_source *src, const char *what,
	       struct strbuf *out);

/* The dumps by the option tree; valid until the next compilation. */
const char *dlang_trees(const struct dlang *d);

/*
 * Parses a version of the language, "1.6.2", to a number that grows with it. INVAL: the
 * text is no version; NOENT: there is no such version.
 */
int dlang_version(const char *text, uint32_t *version);
/* The latest version of the language. */
uint32_t dlang_version_latest(void);
/* Whether text is a stability triplet such as "Stable/Evolving/Common". */
bool dlang_is_stability(const char *text);
/* Whether a text of -n is longer than a line: messages do not repeat it. */
bool dlang_is_long(const char *text);

/*
 * -h: the C header of the providers that the programs declare. name is of the file.
 * UNSUP: an argument of a probe fits into no register.
 */
int dlang_header(struct dlang *d, const char *name, struct strbuf *out, struct err *e);

/*
 * The name of the type that a program declares for args[n] of the probe, which is named
 * as probes are listed: "shop123", "item-sold". NOENT: no program declares the probe;
 * RANGE: it is declared with fewer arguments. *type is NULL then.
 */
int dlang_declared_argument(struct dlang *d, const char *provider, const char *probe,
			    uint32_t n, const char **type);

/* -v: the stability of a compiled program, as words. */
struct dlang_stability {
	const char *description[3]; /* name, data, class */
	const char *statement[3];
};
void dlang_stability(const struct dlang *d, const struct dlang_program *p,
		     struct dlang_stability *out);

#endif
