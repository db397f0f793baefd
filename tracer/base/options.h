/* SPDX-License-Identifier: MIT */
/*
 * The options of a run: a table (options.def), a struct with one member for each row, and
 * one parser for -x, switches, #pragma D option, DTRACE_OPT_NAME and setopt().
 */
#ifndef TRACER_BASE_OPTIONS_H
#define TRACER_BASE_OPTIONS_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"

/* The type of a member. A rate is an interval in nanoseconds. */
typedef bool option_FLAG;
typedef uint64_t option_BOOL; /* 0 is off, 1 on */
typedef uint64_t option_NUMBER;
typedef uint64_t option_SIZE;
typedef uint64_t option_RATE;
typedef uint64_t option_TIME; /* 0 when not set */
typedef char *option_STRING;  /* owned; NULL when not set */
typedef char *option_OPTIONAL;
typedef uint64_t option_KEYWORD;
typedef uint32_t option_LIST; /* how often it was given; its values are in words */

/* One value of a LIST option. */
struct option_word {
	const char *name; /* of the option */
	char *text;	  /* owned */
};

struct options {
#define OPTION(name, kind, class, initial, support, words) option_##kind name;
#include "tracer/base/options.def"
#undef OPTION
	struct {
		struct option_word *data;
		size_t len, cap;
	} words;	/* of all LIST options, in the order given */
	bool stability; /* -v: not an option, but read in the same places */
	bool is_active; /* tracing has started: run-time options are fixed */
};

/* Values of keyword options: the order of their words. */
enum option_stdc { STDC_A, STDC_C, STDC_S, STDC_T };
enum option_encoding { ENCODING_BY_TERMINAL, ENCODING_ASCII, ENCODING_UTF8 };
enum option_evaltime {
	EVALTIME_EXEC,
	EVALTIME_PREINIT,
	EVALTIME_POSTINIT,
	EVALTIME_MAIN
};
enum option_oformat { OFORMAT_NONE, OFORMAT_JSON, OFORMAT_CSV, OFORMAT_FOLDED };
#define OVERHEAD_SUBTRACT 2
enum option_native { NATIVE_ON, NATIVE_OFF };
enum option_plancache { PLANCACHE_ON, PLANCACHE_OFF };
enum option_freopen { FREOPEN_NAME, FREOPEN_ANY };
/* PPROF: as PLAIN, where stacks are text; the profile is a file of its own. */
enum option_stackformat { STACKFORMAT_PLAIN, STACKFORMAT_FOLDED, STACKFORMAT_PPROF };
enum option_tailcall { TAILCALL_AUTO, TAILCALL_FOLLOW, TAILCALL_JUMP };
enum option_bufresize { BUFRESIZE_AUTO, BUFRESIZE_MANUAL };
#define OPTION_NO_CPU UINT64_MAX /* of cpu: hits on all CPUs count */
enum option_bufpolicy {
	BUFPOLICY_SWITCH,
	BUFPOLICY_FILL,
	BUFPOLICY_RING,
	BUFPOLICY_WAIT
};

enum option_source {
	OPTION_FROM_COMMAND, /* -x, switches, environment */
	OPTION_FROM_PROGRAM, /* #pragma D option */
	OPTION_FROM_SETOPT,  /* while tracing: compile-time options do nothing */
};

/* Every option at its initial value. */
void options_init(struct options *o);
void options_release(struct options *o);

/*
 * Sets one option; value NULL when none was given. On failure e->text is the
 * reason alone: "Invalid option name", "Invalid value for specified option",
 * "Option cannot be used from within a D program", "Operation illegal when
 * tracing is active", or that the option is not supported.
 */
int options_set(struct options *o, enum option_source from, const char *name,
		const char *value, struct err *e);

/*
 * Moves the rates into their range, just before tracing starts. Calls report() with a
 * message, without "dtrace: ", for each that it changed; it is to be printed on stderr
 * even with the option quiet.
 */
void options_clamp(struct options *o, void (*report)(void *ctx, const char *text),
		   void *ctx);

#endif
