/* SPDX-License-Identifier: MIT */
/*
 * The run itself, from the arguments of the command to the last line: what the files of
 * this folder promise each other. The state that all rooms share is base/core.h.
 */
#ifndef TRACER_TRACE_H
#define TRACER_TRACE_H

#include "dlang/dlang.h"
#include "tracer/base/core.h"
#include "tracer/output/out.h"
#include "tracer/tracer.h"

/* One -n, -s, ... argument. */
struct trace_program {
	enum tracer_spec kind;
	char *text; /* the argument */
	char *name; /* as messages show it */
	struct dlang_program compiled;
	uint32_t nmatched; /* (probe, clause) pairs */
};

/* All of them. */
struct programs {
	struct trace_program *data;
	size_t len, cap;
	int noperands; /* $1, ...: borrowed */
	char *const *operands;
	bool has_libraries; /* they were loaded, before the first program */
};

/* compile.c: all programs; 0 or -1 after printing the messages. */
int trace_compile(struct tracer *t);
/* Prints the diagnostics of one compilation. */
void trace_diagnostics(const struct tracer *t, const struct strbuf *messages);

/*
 * buffers.c: the block. Says which sizes had to be lowered; fails where a clause's
 * data could never fit.
 */
int trace_make_buffers(struct tracer *t, struct err *e);
void trace_release_buffers(struct tracer *t);
/* Sends the program and the block to the keeper. *stop: as in its reply. */
int trace_send_buffers(struct tracer *t, struct keeper_stop_cost *stop, struct err *e);
/*
 * Sets wants_python. With the option pystack, if a clause takes the stack of a process:
 * has the keeper put frames of Python into it. STATUS_UNSUP: with a recording.
 */
int trace_send_python(struct tracer *t, struct err *e);

/* replay.c: whether the programs run on a recording that an option names. */
bool trace_replays(const struct tracer *t);
/* Then opens it, once, as the origin of events; 0 or -1 after printing a message. */
int trace_open_recording(struct tracer *t);
/* Then refuses (UNSUP) processes that are to be traced as well. */
int trace_refuse_process(const struct tracer *t, struct err *e);
/* True, after a message: the recording has ended at damage; all before it was served. */
struct events;
bool trace_report_damage(const struct tracer *t, const struct events *v);

/* run.c: from BEGIN to the last line; the exit status. */
int trace_run(struct tracer *t);
/* run.c: installs all sites while nothing fires, and explains them; the exit status. */
int trace_explain(struct tracer *t);

/* trace.c: the names of addresses, t->ustack and t->jit. */
void trace_make_names(struct tracer *t);

/*
 * shell_notice.c: prints a notice if a clause that fires in a target hands a string to a
 * shell unquoted.
 */
void trace_note_shell(const struct tracer *t);
/* python_notice.c: a notice if -x pystack is of no use, all stacks being of events. */
void trace_note_python(const struct tracer *t);

#endif
