/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/formats.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 512
#define FIELDS_MAX     256
#define EVENT_BYTES    65536

static bool is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return n > 0 && !text[n];
}

bool format_is_safe(const struct recorded_format *f)
{
	return is_name(f->system) && is_name(f->name);
}

/* "unsigned int args[6]": words, stars, and one array at the end. */
static bool is_declaration(const char *text)
{
	size_t words = 0;

	for (const char *p = text; *p; p++) {
		bool is_word = isalnum((unsigned char)*p) || *p == '_';

		if (!is_word && !strchr(" *[]", *p))
			return false;
		words += is_word && (p == text || p[-1] == ' ' || p[-1] == '*');
	}
	return words >= 2;
}

/* Appends the line of a field if that is all it is. */
static bool add_field(const char *line, struct strbuf *out)
{
	char declaration[LINE_MAX_BYTES];
	unsigned offset, size, is_signed = 0;

	if (sscanf(line, " field:%511[^;]; offset:%u; size:%u; signed:%u;", declaration,
		   &offset, &size, &is_signed) < 3)
		return false;
	if (!is_declaration(declaration) || offset >= EVENT_BYTES ||
	    size >= EVENT_BYTES)
		return false;
	strbuf_printf(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n",
		      declaration, offset, size, is_signed != 0);
	return true;
}

/* A line of the text: a field, or the empty one between the common fields and others. */
static int add_line(const char *line, size_t *nfields, struct strbuf *out)
{
	while (*line == ' ' || *line == '\t')
		line++;
	if (!*line) {
		strbuf_putc(out, '\n');
		return 0;
	}
	if (strncmp(line, "field:", 6) != 0)
		return 0;
	if (++*nfields > FIELDS_MAX || !add_field(line, out))
		return STATUS_BADFMT;
	return 0;
}

/* The lines from "format:" to "print fmt:". */
static int add_lines(const struct recorded_format *f, struct strbuf *out)
{
	const char *at = f->text, *end = f->text + f->n;
	bool is_inside = false;
	size_t nfields = 0;
	int rc = 0;

	while (at < end && rc == 0) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((stop ? stop : end) - at);
		char line[LINE_MAX_BYTES] = "";

		memcpy(line, at, n < sizeof(line) ? n : sizeof(line) - 1);
		if (strncmp(line, "print fmt:", 10) == 0)
			break;
		if (is_inside)
			rc = add_line(line, &nfields, out);
		is_inside |= strncmp(line, "format:", 7) == 0;
		at += n + 1;
	}
	return rc;
}

int format_write(const struct recorded_format *f, struct strbuf *out, struct err *e)
{
	strbuf_printf(out, "name: %s\nID: %" PRIu32 "\nformat:\n", f->name, f->id);
	if (add_lines(f, out))
		return err_set(e, STATUS_BADFMT,
			       "the recorded format of %s:%s is damaged", f->system,
			       f->name);
	strbuf_puts(out, "\nprint fmt: \"\"\n");
	return 0;
}
