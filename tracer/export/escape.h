/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as valid UTF-8, so that the bytes can be had back: each byte that belongs
 * to no valid sequence becomes \xHH (four characters, HH in lower case), and a backslash
 * before an x becomes \x5c. All other text stays as it is.
 */
#ifndef TRACER_EXPORT_ESCAPE_H
#define TRACER_EXPORT_ESCAPE_H

#include "vm/base/host/strbuf.h"

enum escape_controls {
	ESCAPE_NONE,	 /* control characters stay: the caller escapes them */
	ESCAPE_CONTROLS, /* become \xHH, but for newline and tab */
};

/* Appends n bytes. */
void escape_add(struct strbuf *to, const char *bytes, size_t n,
		enum escape_controls controls);
/* Appends two hex digits for each byte. */
void escape_hex(struct strbuf *to, const char *bytes, size_t n);

#endif
