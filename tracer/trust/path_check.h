/* SPDX-License-Identifier: MIT */
/*
 * Paths that are made of text of the user and of text that may come from a target.
 */
#ifndef TRACER_TRUST_PATH_CHECK_H
#define TRACER_TRUST_PATH_CHECK_H

#include "vm/base/base.h"

#include <stddef.h>

/* Bytes from..to of a path are not the user's. */
struct path_span {
	size_t from, to;
};

struct path_spans {
	struct path_span *data;
	size_t len, cap;
};

/*
 * Whether the path leads to a directory that the user chose: no span contains "/" or
 * "..", and no component of the path that a span is part of is "", "." or "..".
 */
bool path_check_is_safe(const char *path, const struct path_spans *spans);

#endif
