/* SPDX-License-Identifier: MIT */
/*
 * Where D text comes from: script files, with or without the preprocessor, and
 * the D libraries that are compiled before the first program.
 */
#ifndef TRACER_SOURCE_H
#define TRACER_SOURCE_H

#include "vm/base/host/err.h"
#include "vm/base/host/strbuf.h"

struct tracer;
struct options;
struct trace_program;

/*
 * The text of a file, preprocessed with the option cpp. NOENT: it cannot be read,
 * e->text is the reason alone; any other failure is the preprocessor's.
 */
int source_read(struct tracer *t, const char *path, struct strbuf *text, struct err *e);

/* cpp.c: text becomes what the preprocessor makes of it. Its errors name the path. */
int cpp_run(const struct options *o, const char *path, struct strbuf *text,
	    struct err *e);

/* library.c: dlang_env.has; ctx is the struct tracer. */
bool library_has(void *ctx, const char *class, const char *name);
/*
 * Compiles the libraries of syslibdir and libdir on behalf of the first
 * program; nothing with the option nolibs or when it was done. -1 after printing
 * the messages.
 */
int library_load(struct tracer *t, const struct trace_program *program);

#endif
