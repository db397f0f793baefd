/* SPDX-License-Identifier: MIT */
/*
 * -h: compiles the programs and writes the header of the providers they declare.
 */
#include "tracer/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int write_file(const struct tracer *t, const char *path,
		      const struct strbuf *text)
{
	FILE *f = fopen(path, "we");
	bool failed;

	if (!f) {
		out_message(t->out, "failed to open header file '%s': %s", path,
			    strerror(errno));
		return 1;
	}
	failed = fwrite(text->data, 1, text->len, f) != text->len;
	if ((fclose(f) == EOF) | failed) {
		out_message(t->out, "failed to write header file '%s': %s", path,
			    strerror(errno));
		return 1;
	}
	return 0;
}

int tracer_header(struct tracer *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct strbuf text = {0};
	struct err e;
	int status = 1;

	t->zero_ok = true;
	if (trace_compile(t))
		return 1;
	if (dlang_header(t->dlang, slash ? slash + 1 : path, &text, &e))
		out_message(t->out, "failed to write header file '%s': %s", path,
			    e.text);
	else
		status = write_file(t, path, &text);
	strbuf_release(&text);
	return status;
}
