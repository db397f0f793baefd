/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/folded_file.h"
#include "vm/base/fmt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds one line; false: it is no stack. */
static bool take_line(const char *line, size_t n, enum tree_run run, struct tree *to)
{
	const char *blank = memrchr(line, ' ', n);
	size_t stack = blank ? (size_t)(blank - line) : 0;
	uint64_t value;

	if (!stack || fmt_parse_u64(blank + 1, n - stack - 1, 10, &value) || !value)
		return false;
	tree_add(to, line, stack, run, value);
	return true;
}

/* Reads all lines; how many are stacks, or -1 after an error, with errno set. */
static long read_lines(FILE *f, struct tree *to)
{
	char *line = NULL;
	size_t cap = 0;
	uint64_t all = 0;
	long found = 0;
	ssize_t n;

	errno = 0;
	while (found >= 0 && (n = getline(&line, &cap, f)) > 0) {
		all += (uint64_t)n;
		n -= line[n - 1] == '\n';
		found += take_line(line, (size_t)n, TREE_BASE, to);
		if (all > FOLDED_FILE_MAX) {
			errno = EFBIG;
			found = -1;
		}
	}
	if (ferror(f))
		found = -1;
	free(line);
	return found;
}

size_t folded_text_read(const struct strbuf *text, enum tree_run run, struct tree *to)
{
	const char *at = text->data, *end = at + text->len, *newline;
	size_t found = 0;

	for (; at < end; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		newline = newline ? newline : end;
		found += take_line(at, (size_t)(newline - at), run, to);
	}
	return found;
}

int folded_file_read(const char *path, struct tree *to, struct err *e)
{
	FILE *f = fopen(path, "re");
	long found;
	int rc = 0;

	if (!f)
		return err_set(e, STATUS_IO, "cannot read '%s': %s", path,
			       strerror(errno));
	found = read_lines(f, to);
	if (found < 0)
		rc = err_set(e, STATUS_IO, "cannot read '%s': %s", path,
			     strerror(errno));
	else if (!found)
		rc = err_set(e, STATUS_BADFMT,
			     "'%s' has no folded stacks: -x stackformat=folded -o FILE "
			     "writes them",
			     path);
	fclose(f);
	return rc;
}
