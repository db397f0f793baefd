/* SPDX-License-Identifier: MIT */
/*
 * Bytes that a traced process may have chosen, made safe for files that other programs
 * read.
 */
#ifndef TRACER_BASE_TEXT_H
#define TRACER_BASE_TEXT_H

#include "vm/base/host/strbuf.h"

/*
 * The length of the character of valid UTF-8 that s[0..n) begins with; 0 if there is
 * none, or if it is a control character (C0, DEL, C1), turns the direction of text, or
 * is no character.
 */
size_t text_character(const char *s, size_t n);

/*
 * Appends s[0..n): characters as they are, every other byte as \xNN. The result is valid
 * UTF-8 without control characters.
 */
void text_add_clean(struct strbuf *to, const char *s, size_t n);
/* The same for one frame of a folded stack: ';', which ends a frame, becomes ','. */
void text_add_frame(struct strbuf *to, const char *s, size_t n);
/* The same for the text or an attribute of XML: & < > " ' become references. */
void text_add_xml(struct strbuf *to, const char *s, size_t n);
/* The same inside a string of JSON. */
void text_add_json(struct strbuf *to, const char *s, size_t n);

enum text_controls {
	TEXT_CONTROLS_KEPT,    /* the caller escapes them */
	TEXT_CONTROLS_ESCAPED, /* C0 but for newline and tab, DEL, and C1 */
};

/*
 * Appends s[0..n) so that the bytes can be had back: each byte that belongs to no valid
 * sequence becomes \xNN (in lower case), and a backslash before an x becomes \x5c. All
 * other text stays as it is.
 */
void text_add_escaped(struct strbuf *to, const char *s, size_t n,
		      enum text_controls controls);
/* Appends a number with all its digits, and a '.' whatever the locale. */
void text_add_real(struct strbuf *to, long double x);
/* Appends two hex digits for each byte. */
void text_add_hex(struct strbuf *to, const char *s, size_t n);

#endif
