/* SPDX-License-Identifier: MIT */
/*
 * Writes trace data and messages. Data goes through one buffer, which is written when
 * it is full and at the end of each pass of the consumer.
 */
#include "tracer/output/out.h"
#include "tracer/base/patience.h"
#include "tracer/base/patient_write.h"
#include "vm/base/fmt.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/text/shown.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct out *out_new(const char *command)
{
	struct out *o = oom_realloc(NULL, sizeof(*o));

	o->command = command;
	o->fd = STDOUT_FILENO;
	o->is_owned = false;
	o->original = -1;
	o->error = 0;
	o->has_failed = false;
	o->quiet = NULL;
	o->held = NULL;
	o->listener = NULL;
	o->erase = NULL;
	o->is_text = o->is_cut = false;
	o->len = 0;
	return o;
}

struct out *out_new_text(const char *command)
{
	struct out *o = out_new(command);

	o->fd = -1;
	o->is_text = true;
	return o;
}

void out_restart(struct out *o)
{
	o->len = 0;
	o->is_cut = false;
}

void out_free(struct out *o)
{
	if (!o)
		return;
	out_flush(o);
	out_release(o);
	if (o->is_owned)
		close(o->fd);
	if (o->original >= 0)
		close(o->original);
	free(o);
}

static int errno_reason(struct err *e)
{
	return err_set(e, STATUS_IO, "%s", strerror(errno));
}

int out_redirect(struct out *o, const char *path, struct err *e)
{
	int fd = own_file_append(path, OWN_FILE_ANY, e);

	if (fd < 0)
		return fd;
	out_flush(o);
	if (o->is_owned)
		close(o->fd);
	o->fd = fd;
	o->is_owned = true;
	return 0;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

bool out_is_named_pipe(const struct out *o)
{
	return o->is_owned && is_pipe(o->fd);
}

/* Makes fd a duplicate of from. Commands inherit only the standard output. */
static int replace(struct out *o, int from)
{
	return dup3(from, o->fd, o->is_owned ? O_CLOEXEC : 0);
}

int out_reopen(struct out *o, const char *path, enum own_file which, struct err *e)
{
	int fd = own_file_append(path, which, e), rc = 0;

	if (fd < 0)
		return fd;
	out_flush(o);
	if (o->original < 0)
		o->original = fcntl(o->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (o->original < 0 || replace(o, fd) < 0)
		rc = errno_reason(e);
	/* its reader may leave: see out_is_named_pipe() */
	if (is_pipe(fd))
		signal(SIGPIPE, SIG_IGN);
	close(fd);
	return rc;
}

int out_restore(struct out *o, struct err *e)
{
	if (o->original < 0)
		return 0;
	out_flush(o);
	if (replace(o, o->original) < 0)
		return errno_reason(e);
	close(o->original);
	o->original = -1;
	return 0;
}

void out_truncate(struct out *o)
{
	struct stat st;

	if (fstat(o->fd, &st) || !S_ISREG(st.st_mode))
		return;
	o->len = 0;
	if (ftruncate(o->fd, 0) || lseek(o->fd, 0, SEEK_SET) < 0)
		o->error = errno;
}

/* Once a reader is given up, stderr is not waited for either: it may be the same one. */
static void write_stderr(const struct strbuf *text)
{
	struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (!patience_gave_up(AWAITED_READER) || poll(&ready, 1, 0) == 1)
		(void)patient_write(STDERR_FILENO, text->data, text->len);
}

/* ---- while the terminal shows something else ---- */

struct out_held {
	struct strbuf data, messages;
	bool is_cut;
};

/* Keeps the end. */
static void keep_end(struct out_held *h, struct strbuf *to, const char *p, size_t n)
{
	strbuf_add(to, p, n);
	if (to->len <= 2 * (size_t)OUT_HELD_MAX)
		return;
	memmove(to->data, to->data + to->len - OUT_HELD_MAX, OUT_HELD_MAX);
	strbuf_cut(to, OUT_HELD_MAX);
	h->is_cut = true;
}

/* Writes data, or keeps it; as patient_write(). */
static int put_data(struct out *o, const char *p, size_t n)
{
	if (n && o->erase)
		o->erase(o->erase_ctx);
	if (!o->held || o->original >= 0)
		return patient_write(o->fd, p, n);
	keep_end(o->held, &o->held->data, p, n);
	return 0;
}

void out_hold(struct out *o)
{
	out_flush(o);
	o->held = oom_calloc(1, sizeof(*o->held));
}

void out_release(struct out *o)
{
	struct out_held *h = o->held;

	if (!h)
		return;
	out_flush(o);
	o->held = NULL;
	if (h->data.len && !o->error)
		o->error = patient_write(o->original < 0 ? o->fd : o->original,
					 h->data.data, h->data.len);
	write_stderr(&h->messages);
	if (h->is_cut)
		out_notice(o, "of the output so far only the end was kept");
	strbuf_release(&h->data);
	strbuf_release(&h->messages);
	free(h);
}

int out_flush(struct out *o)
{
	if (o->is_text)
		return 0;
	if (o->len && !o->error)
		o->error = put_data(o, o->buffer, o->len);
	o->len = 0;
	errno = o->error;
	return o->error ? STATUS_IO : 0;
}

static void keep_beginning(struct out *o, const void *p, size_t n)
{
	size_t room = OUT_BUFFER - o->len;

	o->is_cut |= n > room;
	n = n < room ? n : room;
	memcpy(o->buffer + o->len, p, n);
	o->len += n;
}

void out_write_slow(struct out *o, const void *p, size_t n)
{
	if (o->is_text) {
		keep_beginning(o, p, n);
		return;
	}
	out_flush(o);
	if (n <= OUT_BUFFER)
		out_write(o, p, n);
	else if (!o->error)
		o->error = put_data(o, p, n);
}

void out_pad(struct out *o, char c, size_t n)
{
	char run[256];

	memset(run, c, n < sizeof(run) ? n : sizeof(run));
	for (; n > sizeof(run); n -= sizeof(run))
		out_write(o, run, sizeof(run));
	out_write(o, run, n);
}

void out_field(struct out *o, const char *s, size_t n, size_t width, bool is_left)
{
	size_t pad = width > n ? width - n : 0;

	if (!is_left)
		out_pad(o, ' ', pad);
	out_write(o, s, n);
	if (is_left)
		out_pad(o, ' ', pad);
}

/* What s[0..n) begins with and a terminal would obey; how many bytes of it. */
static size_t put_hidden(struct out *o, const char *s, size_t n)
{
	size_t hidden = shown_hidden(s, n);
	char escape[SHOWN_ESCAPE];

	for (size_t i = 0; i < hidden; i++) {
		shown_escape(escape, s[i]);
		out_write(o, escape, sizeof(escape));
	}
	return hidden;
}

/* How many characters s[0..n) becomes. */
static size_t shown_width(const char *s, size_t n, enum shown how)
{
	size_t width = 0;

	for (size_t i = 0, step; i < n; i += step) {
		step = shown_plain(s + i, n - i, how);
		width += step;
		if (step)
			continue;
		step = shown_hidden(s + i, n - i);
		width += step * SHOWN_ESCAPE;
	}
	return width;
}

static void put_shown(struct out *o, const char *s, size_t n, enum shown how)
{
	for (size_t i = 0, step; i < n; i += step) {
		step = shown_plain(s + i, n - i, how);
		if (step)
			out_write(o, s + i, step);
		else
			step = put_hidden(o, s + i, n - i);
	}
}

/* Text in a field of so many columns. */
struct column {
	size_t width;
	bool is_left;
	enum shown how;
};

static void put_column(struct out *o, const char *s, size_t n, struct column c)
{
	size_t is, pad;

	if (shown_plain(s, n, c.how) == n) {
		out_field(o, s, n, c.width, c.is_left);
		return;
	}
	is = shown_width(s, n, c.how);
	pad = c.width > is ? c.width - is : 0;
	if (!c.is_left)
		out_pad(o, ' ', pad);
	put_shown(o, s, n, c.how);
	if (c.is_left)
		out_pad(o, ' ', pad);
}

void out_name(struct out *o, const char *s, size_t n, size_t width, bool is_left)
{
	put_column(o, s, n, (struct column){width, is_left, SHOWN_NAME});
}

void out_text(struct out *o, const char *s, size_t n, size_t width, bool is_left)
{
	put_column(o, s, n, (struct column){width, is_left, SHOWN_TEXT});
}

void out_int(struct out *o, int64_t v, size_t width)
{
	char text[FMT_MAX];
	size_t n = fmt_i64(text, v);

	out_field(o, text, n, width, false);
}

void out_unsigned(struct out *o, uint64_t v, size_t width)
{
	char text[FMT_MAX];
	size_t n = fmt_u64(text, v, 10);

	out_field(o, text, n, width, false);
}

void out_printf(struct out *o, const char *fmt, ...)
{
	char line[512];
	struct strbuf longer = {0};
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < (int)sizeof(line)) {
		out_write(o, line, (size_t)n);
		return;
	}
	va_start(ap, fmt);
	strbuf_vprintf(&longer, fmt, ap);
	va_end(ap);
	out_write(o, longer.data, longer.len);
	strbuf_release(&longer);
}

static void write_message(struct out *o, bool is_notice, const char *fmt, va_list ap)
	ATTR_PRINTF(3, 0);
static void write_message(struct out *o, bool is_notice, const char *fmt, va_list ap)
{
	struct strbuf text = {0}, shown = {0};

	strbuf_vprintf(&text, fmt, ap);
	if (o->listener)
		o->listener(o->listener_ctx, is_notice, text.data);
	out_flush(o);
	if (o->erase)
		o->erase(o->erase_ctx);
	strbuf_printf(&shown, "%s: ", o->command);
	shown_add(&shown, text.data, text.len, SHOWN_TEXT);
	strbuf_putc(&shown, '\n');
	if (o->held)
		keep_end(o->held, &o->held->messages, shown.data, shown.len);
	else
		write_stderr(&shown);
	strbuf_release(&text);
	strbuf_release(&shown);
}

void out_message(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_message(o, false, fmt, ap);
	va_end(ap);
}

void out_failure(struct out *o, const char *fmt, ...)
{
	va_list ap;

	o->has_failed = true;
	va_start(ap, fmt);
	write_message(o, false, fmt, ap);
	va_end(ap);
}

void out_notice(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (o->quiet && *o->quiet)
		return;
	va_start(ap, fmt);
	write_message(o, true, fmt, ap);
	va_end(ap);
}

void out_remark(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if ((o->quiet && *o->quiet) || !isatty(STDERR_FILENO))
		return;
	va_start(ap, fmt);
	write_message(o, true, fmt, ap);
	va_end(ap);
}
