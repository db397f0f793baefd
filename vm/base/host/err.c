/* SPDX-License-Identifier: MIT */
#include "vm/base/host/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static ATTR_PRINTF(3, 0) void set_text(struct err *e, enum status status,
				       const char *fmt, va_list ap)
{
	e->status = status;
	e->tag[0] = '\0';
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

int err_set(struct err *e, enum status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_text(e, status, fmt, ap);
	va_end(ap);
	return status;
}

/* What to do about a limit of resources. */
static const char *limit_of(int error)
{
	if (error == EMFILE)
		return ": raise the limit of open files (ulimit -n)";
	if (error == EAGAIN) /* of fork() and threads; other calls are made again */
		return ": raise the limit of processes (ulimit -u, or pids.max of the "
		       "control group)";
	return error == EFBIG ? ": raise the limit of file sizes (ulimit -f)" : "";
}

int err_errno(struct err *e, enum status status, const char *fmt, ...)
{
	int saved = errno;
	size_t n;
	va_list ap;

	va_start(ap, fmt);
	set_text(e, status, fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s%s", strerror(saved),
		 limit_of(saved));
	return status;
}

int err_tag(struct err *e, const char *tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_text(e, STATUS_SYNTAX, fmt, ap);
	va_end(ap);
	snprintf(e->tag, sizeof(e->tag), "%s", tag);
	return STATUS_SYNTAX;
}

void err_context(struct err *e, const char *fmt, ...)
{
	char old[ERR_TEXT_MAX];
	size_t n;
	va_list ap;

	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s", old);
}

const char *status_text(int status)
{
	static const char *const text[] = {
		"success",
#define STATUS(name, str) str,
#include "vm/base/status.def"
#undef STATUS
	};
	size_t i = (size_t) - (int64_t)status;

	return i < ARRAY_LEN(text) ? text[i] : "unknown error";
}
