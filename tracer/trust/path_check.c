/* SPDX-License-Identifier: MIT */
#include "tracer/trust/path_check.h"

#include <string.h>

static bool is_plain(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] == '/' ||
		    (text[i] == '.' && i + 1 < n && text[i + 1] == '.'))
			return false;
	return true;
}

/* A name that is no file of its directory. */
static bool is_direction(const char *name, size_t n)
{
	return n == 0 || (n == 1 && name[0] == '.') ||
	       (n == 2 && name[0] == '.' && name[1] == '.');
}

/* The span lies in one component: is_plain(). */
static bool is_part_of_name(const char *path, size_t len, const struct path_span *s)
{
	size_t from = s->from, to = s->to;

	while (from > 0 && path[from - 1] != '/')
		from--;
	while (to < len && path[to] != '/')
		to++;
	return !is_direction(path + from, to - from);
}

bool path_check_is_safe(const char *path, const struct path_spans *spans)
{
	size_t len = strlen(path);

	for (size_t i = 0; len && i < spans->len; i++) {
		struct path_span s = spans->data[i];

		if (s.from > len) /* after the end of a path that was cut */
			continue;
		s.to = s.to < len ? s.to : len;
		if (!is_plain(path + s.from, s.to - s.from) ||
		    !is_part_of_name(path, len, &s))
			return false;
	}
	return true;
}
