/* SPDX-License-Identifier: MIT */
/*
 * Where a run prints: trace data, buffered, to stdout or the file of -o, and
 * messages, "COMMAND: TEXT\n", to stderr. In messages all is escaped as by out_text().
 *
 * The first failed write is kept and all later output is discarded, so printing code
 * need not check each call: out_flush() returns the failure.
 */
#ifndef TRACER_OUTPUT_OUT_H
#define TRACER_OUTPUT_OUT_H

#include "tracer/base/options.h"
#include "tracer/base/own_file.h"
#include "vm/base/base.h"
#include "vm/base/host/err.h"

#include <stdarg.h>
#include <string.h>

#define OUT_BUFFER 65536

struct out {
	const char *command; /* borrowed */
	int fd;
	bool is_owned;	 /* fd is ours to close */
	int original;	 /* a copy of fd from before out_reopen(); -1: none */
	int error;	 /* errno of the first failed write, 0 none */
	bool has_failed; /* a file that was asked for was not written: status 1 */
	/* The option `quiet`; borrowed. NULL: not set. */
	const option_BOOL *quiet;
	/* Called with each message, before it goes to stderr; NULL: not called. */
	void (*listener)(void *ctx, bool is_notice, const char *text);
	void *listener_ctx;
	/* Called before anything is written; NULL: not called. */
	void (*erase)(void *ctx);
	void *erase_ctx;
	struct out_held *held; /* while out_hold() */
	bool is_text;	       /* nothing is written: the buffer keeps the beginning */
	bool is_cut;	       /* of is_text: there was more */
	size_t len;
	char buffer[OUT_BUFFER];
};

/* Writes to stdout until redirected. command is borrowed: the base name of argv[0]. */
struct out *out_new(const char *command);
/* For text that is not written anywhere: is_text. Empty it with out_restart(). */
struct out *out_new_text(const char *command);
void out_restart(struct out *o);
/* Flushes. */
void out_free(struct out *o);
/* -o: path opened for append. e->text is the reason alone. */
int out_redirect(struct out *o, const char *path, struct err *e);

/*
 * Whether the file of -o is a pipe with a name. When its reader leaves, the run has to
 * end in order: SIGPIPE must not end the process. On stdout it does, silently, as in
 * other programs.
 */
bool out_is_named_pipe(const struct out *o);

/*
 * freopen(): redirects fd to the file, opened for append if it is one of these. e as
 * above.
 */
int out_reopen(struct out *o, const char *path, enum own_file which, struct err *e);
/* Undoes all out_reopen(). */
int out_restore(struct out *o, struct err *e);
/* ftruncate(): empties a regular file, and the buffer with it. */
void out_truncate(struct out *o);

/*
 * Until out_release() data that would go to the terminal, and messages, are kept instead
 * of written: at least the last OUT_HELD_MAX bytes of each. What a script has sent to
 * other files with freopen() is written as usual.
 */
#define OUT_HELD_MAX 65536
void out_hold(struct out *o);
/* Writes what was kept. */
void out_release(struct out *o);

/* Adds n bytes that may exceed the free part of the buffer. */
void out_write_slow(struct out *o, const void *p, size_t n);

static inline void out_write(struct out *o, const void *p, size_t n)
{
	if (n > OUT_BUFFER - o->len) {
		out_write_slow(o, p, n);
		return;
	}
	memcpy(o->buffer + o->len, p, n);
	o->len += n;
}

/* Where n bytes can be written, to be added by out_add(); NULL: they may not fit. */
static inline char *out_room(struct out *o, size_t n)
{
	return n <= OUT_BUFFER - o->len ? o->buffer + o->len : NULL;
}

static inline void out_add(struct out *o, size_t n)
{
	o->len += n;
}

static inline void out_puts(struct out *o, const char *s)
{
	out_write(o, s, strlen(s));
}

static inline void out_putc(struct out *o, char c)
{
	out_write(o, &c, 1);
}

void out_pad(struct out *o, char c, size_t n);
/* s[0..n) in a field of at least width columns. */
void out_field(struct out *o, const char *s, size_t n, size_t width, bool is_left);
/*
 * The same for text that a file or a target chose: what a terminal would obey is escaped
 * (vm/base/text/shown.h). A name is in one line; text may have several.
 */
void out_name(struct out *o, const char *s, size_t n, size_t width, bool is_left);
void out_text(struct out *o, const char *s, size_t n, size_t width, bool is_left);
/* A decimal number, right-justified. */
void out_int(struct out *o, int64_t v, size_t width);
void out_unsigned(struct out *o, uint64_t v, size_t width);
void out_printf(struct out *o, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* 0, or STATUS_IO when this or an earlier write failed, with errno set. */
int out_flush(struct out *o);

/* Flushes the data, then writes "COMMAND: TEXT\n" to stderr in one piece. */
void out_message(struct out *o, const char *fmt, ...) ATTR_PRINTF(2, 3);
/* The same of a file that was asked for and not written: has_failed. */
void out_failure(struct out *o, const char *fmt, ...) ATTR_PRINTF(2, 3);
/* As out_message(); prints nothing with the option quiet. */
void out_notice(struct out *o, const char *fmt, ...) ATTR_PRINTF(2, 3);
/* A notice that depends on speed, or that DTrace users may not want in a log: nothing is
 * printed unless stderr is a terminal. */
void out_remark(struct out *o, const char *fmt, ...) ATTR_PRINTF(2, 3);

#endif
