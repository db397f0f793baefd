/* SPDX-License-Identifier: MIT */
#include "tracer/source.h"
#include "tracer/base/core.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int read_file(const char *path, struct strbuf *text)
{
	char chunk[4096];
	FILE *f = fopen(path, "re");
	int failure = 0;
	size_t n;

	if (!f)
		return errno;
	strbuf_reset(text);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		strbuf_add(text, chunk, n);
	if (ferror(f))
		failure = errno ? errno : EIO;
	fclose(f);
	return failure;
}

/* A byte-order mark says only that the text is UTF-8. */
static void skip_mark(struct strbuf *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t n = sizeof(mark) - 1;

	if (text->len < n || memcmp(text->data, mark, n) != 0)
		return;
	text->len -= n;
	memmove(text->data, text->data + n, text->len + 1);
}

/* D texts end at a NUL byte: one inside would hide what follows it. */
static int refuse_nul(const struct tracer *t, const struct strbuf *text, struct err *e)
{
	const char *nul = text->len ? memchr(text->data, '\0', text->len) : NULL;
	unsigned line = 1;

	if (!nul)
		return 0;
	for (const char *p = text->data; p < nul; p++)
		line += *p == '\n';
	return err_set(e, STATUS_SYNTAX, "%sline %u: syntax error near \"\\0\"",
		       t->options.errtags ? "[D_SYNTAX] " : "", line);
}

int source_read(struct tracer *t, const char *path, struct strbuf *text, struct err *e)
{
	int failure = read_file(path, text);

	if (failure)
		return err_set(e, STATUS_NOENT, "%s", strerror(failure));
	skip_mark(text);
	if (refuse_nul(t, text, e))
		return e->status;
	return t->options.cpp ? cpp_run(&t->options, path, text, e) : 0;
}
