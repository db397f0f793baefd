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

int source_read(struct tracer *t, const char *path, struct strbuf *text, struct err *e)
{
	int failure = read_file(path, text);

	if (failure)
		return err_set(e, STATUS_NOENT, "%s", strerror(failure));
	return t->options.cpp ? cpp_run(&t->options, path, text, e) : 0;
}
