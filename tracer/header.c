/* SPDX-License-Identifier: MIT */
/*
 * -h: compiles the programs and writes the header of the providers they declare.
 */
#include "tracer/base/own_file.h"
#include "tracer/trace.h"
#include "vm/base/host/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int write_file(const struct tracer *t, const char *path,
		      const struct strbuf *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool is_written;

	if (fd < 0) {
		out_message(t->out, "failed to open header file '%s': %s", path,
			    strerror(errno));
		return 1;
	}
	is_written = fd_write_all(fd, text->data, text->len);
	if (!is_written) {
		out_message(t->out, "failed to write header file '%s': %s", path,
			    strerror(errno));
		own_file_remove(fd, path);
	}
	close(fd);
	return is_written ? 0 : 1;
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
