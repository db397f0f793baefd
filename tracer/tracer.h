/* SPDX-License-Identifier: MIT */
/*
 * One run of dtrace: options, targets, programs, then listing or tracing.
 * The command fills it in, in the order of its arguments, and runs it once:
 *
 *	tracer_new -> options -> targets -> programs -> list | run -> free
 *
 * Trace data goes to the output file (stdout); messages to stderr, each
 * beginning with the command's name.
 */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"

struct tracer;
struct strbuf;

/* argv0: its base name starts every message. operands: $1.. (borrowed). */
struct tracer *tracer_new(const char *argv0, int noperands, char *const *operands);
/*
 * Releases everything, targets first: restores and detaches them. Kills a target that
 * -c started if tracing did not end normally.
 */
void tracer_free(struct tracer *t);
/* Whether a thread that reads a file was given up: exit() must not run beside it. */
bool tracer_has_lost_thread(void);

/* -x name[=value], also every switch that is one. e->text is the reason alone:
 * "Invalid option name", "Invalid value for specified option", ... */
int tracer_option(struct tracer *t, const char *name, const char *value, struct err *e);
/* Whether the command must leave a core file at its end (option core). */
bool tracer_wants_core(const struct tracer *t);
/* -v: stability reports, and the information of each probe with a listing. */
void tracer_verbose(struct tracer *t);
/* -o: opened for append. e->text is the reason alone. */
int tracer_output(struct tracer *t, const char *path, struct err *e);

/*
 * -c: starts the command and holds it at the point that the option evaltime selects. It
 * is split at blanks; quotes and backslashes mean what they mean to a shell.
 * Here and in tracer_grab() e->text is the reason alone: the caller prints "failed to
 * execute FILE" or "failed to grab pid N".
 */
int tracer_command(struct tracer *t, const char *command, struct err *e);
/* The same for a command that is split already; words ends in NULL. */
int tracer_command_words(struct tracer *t, char *const *words, struct err *e);
/* -p; e->text is the reason alone. */
int tracer_grab(struct tracer *t, int pid, struct err *e);

enum tracer_spec {
	TRACER_NAME,
	TRACER_FUNC,
	TRACER_MODULE,
	TRACER_PROVIDER,
	TRACER_SCRIPT, /* text is the path of a file */
};
/* One -n -f -m -P or -s argument (-i: as -n), kept until list or run. Borrows text. */
void tracer_program(struct tracer *t, enum tracer_spec spec, const char *text);

/*
 * Each returns the exit status of the command; messages have been printed.
 * tracer_list: -l, every probe that the programs match (all probes without any); 1 if
 *     no description of theirs matches any.
 * tracer_compile: -e, compile only (stability report with -v); 1 without a program.
 * tracer_explain: --explain, the code of the sites of the programs' probes, with and
 *     without what dtrace writes there; nothing fires.
 * tracer_run: enable, trace until the end, print the rest.
 */
int tracer_list(struct tracer *t);
/* -h: the C header of the providers that the programs declare. */
int tracer_header(struct tracer *t, const char *path);
/* -G: an object file without content. */
int tracer_object(struct tracer *t, const char *path);
int tracer_compile(struct tracer *t);
int tracer_explain(struct tracer *t);
int tracer_run(struct tracer *t);

/*
 * Draws a flame graph of folded stacks, which are coloured by how their shares differ
 * from those of the base; no run is needed. name: of what they were. The text of an error
 * is whole.
 */
int tracer_flame(const struct strbuf *folded, const struct strbuf *base,
		 const char *name, const char *path, struct err *e);

/* Of a line of the file below: hits, arg0 to arg5 of an entry, arg0, arg1 of a return. */
#define TRACER_CHECK_COLUMNS 9
/*
 * Before tracer_run(): all probes of pid and fpid will be set as fpid, or as pid. At the
 * end the file gets a line for each of them that fired, "MODULE:FUNCTION:NAME", a tab and
 * a number for each column; then "end", the process id of the first target, the number
 * of hits that were lost, and the hits that jumps and that breakpoints of fpid have
 * served, each after a tab. Names have no control characters; numbers of arguments tell
 * whether they were the same. The descriptor stays the caller's.
 */
void tracer_check(struct tracer *t, bool by_jumps, int fd);

#endif
