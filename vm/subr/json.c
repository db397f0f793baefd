/* SPDX-License-Identifier: MIT */
/*
 * json(): one value out of a JSON text, by a path. What comes before the value is
 * parsed strictly, what follows is not looked at. No recursion: a bit for each
 * open bracket says whether it was a brace.
 */
#include "vm/base/bytes.h"
#include "vm/subr/text.h"

#define DEPTH_MAX 512u

struct scan {
	struct text text;
	uint32_t at;
};

static char peek(const struct scan *s)
{
	return s->at < s->text.len ? s->text.s[s->at] : '\0';
}

static void skip_blanks(struct scan *s)
{
	while (peek(s) == ' ' || peek(s) == '\t' || peek(s) == '\n' || peek(s) == '\r')
		s->at++;
}

static bool accept(struct scan *s, char c)
{
	if (peek(s) != c || s->at >= s->text.len)
		return false;
	s->at++;
	return true;
}

/* The same after blanks. */
static bool accept_next(struct scan *s, char c)
{
	skip_blanks(s);
	return accept(s, c);
}

/* ---- scalars ---- */

static bool skip_digits(struct scan *s)
{
	uint32_t first = s->at;

	while (peek(s) >= '0' && peek(s) <= '9')
		s->at++;
	return s->at > first;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool skip_number(struct scan *s)
{
	accept(s, '-');
	if (!accept(s, '0') && !skip_digits(s))
		return false;
	if (accept(s, '.') && !skip_digits(s))
		return false;
	if (!accept(s, 'e') && !accept(s, 'E'))
		return true;
	if (!accept(s, '-'))
		accept(s, '+');
	return skip_digits(s);
}

static bool skip_word(struct scan *s)
{
	static const char words[][6] = {"true", "false", "null"};

	for (unsigned i = 0; i < ARRAY_LEN(words); i++) {
		uint32_t n = 4 + (i == 1);

		if (s->text.len - s->at < n ||
		    bytes_compare(s->text.s + s->at, words[i], n) != 0)
			continue;
		s->at += n;
		return true;
	}
	return false;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/* After a backslash: one character, or u and four hexadecimal digits. */
static bool skip_escape(struct scan *s)
{
	if (s->at >= s->text.len)
		return false;
	if (!accept(s, 'u')) {
		s->at++;
		return true;
	}
	for (unsigned i = 0; i < 4; i++, s->at++)
		if (!is_hex(peek(s)))
			return false;
	return true;
}

/* From the quote on; escape sequences are skipped as written. */
static bool skip_string(struct scan *s)
{
	if (!accept(s, '"'))
		return false;
	while (s->at < s->text.len) {
		if (accept(s, '"'))
			return true;
		if (!accept(s, '\\'))
			s->at++;
		else if (!skip_escape(s))
			return false;
	}
	return false;
}

/* A number or word must end where it seems to: no 0x10, no nullify. */
static bool is_ended(const struct scan *s)
{
	switch (peek(s)) {
	case ' ':
	case '\t':
	case '\n':
	case '\r':
	case ',':
	case ']':
	case '}':
		return true;
	default:
		return false;
	}
}

static bool skip_scalar(struct scan *s)
{
	if (peek(s) == '"')
		return skip_string(s);
	if (peek(s) == '-' || (peek(s) >= '0' && peek(s) <= '9'))
		return skip_number(s) && is_ended(s);
	return skip_word(s) && is_ended(s);
}

/* ---- values ---- */

struct nesting {
	uint32_t depth;
	uint64_t is_object[DEPTH_MAX / 64];
};

static bool is_object(const struct nesting *n)
{
	uint32_t top = n->depth - 1;

	return n->is_object[top / 64] >> top % 64 & 1;
}

static bool push(struct nesting *n, bool object)
{
	uint64_t bit = UINT64_C(1) << n->depth % 64;

	if (n->depth == DEPTH_MAX)
		return false;
	if (object)
		n->is_object[n->depth / 64] |= bit;
	else
		n->is_object[n->depth / 64] &= ~bit;
	n->depth++;
	return true;
}

static bool skip_key(struct scan *s)
{
	skip_blanks(s);
	return skip_string(s) && accept_next(s, ':');
}

static bool accept_close(struct scan *s, const struct nesting *n)
{
	return accept_next(s, is_object(n) ? '}' : ']');
}

/*
 * What follows a value inside brackets: they close, or the next value begins.
 * False: neither.
 */
static bool after_value(struct scan *s, struct nesting *n)
{
	while (n->depth > 0) {
		if (accept_close(s, n)) {
			n->depth--;
			continue;
		}
		return accept_next(s, ',') && (!is_object(n) || skip_key(s));
	}
	return true;
}

/* A scalar or empty brackets; or *opened: an opening one, up to its first value. */
static bool begin_value(struct scan *s, struct nesting *n, bool *opened)
{
	bool object;

	skip_blanks(s);
	object = peek(s) == '{';
	*opened = false;
	if (!object && peek(s) != '[')
		return skip_scalar(s);
	if (!push(n, object))
		return false;
	s->at++;
	if (accept_close(s, n)) {
		n->depth--;
		return true;
	}
	*opened = true;
	return !object || skip_key(s);
}

static bool skip_value(struct scan *s)
{
	struct nesting n;
	bool opened;

	n.depth = 0;
	do {
		if (!begin_value(s, &n, &opened))
			return false;
		if (!opened && !after_value(s, &n))
			return false;
	} while (n.depth > 0);
	return true;
}

/* ---- the path ---- */

static bool is_separator(char c)
{
	return c == '.' || c == '[' || c == ']';
}

/* The path's next key or index; false at its end. */
static bool next_step(struct scan *path, struct text *step)
{
	while (path->at < path->text.len && is_separator(peek(path)))
		path->at++;
	step->s = path->text.s + path->at;
	step->len = path->at;
	while (path->at < path->text.len && !is_separator(peek(path)))
		path->at++;
	step->len = path->at - step->len;
	return step->len > 0;
}

/* To the value of the key, in an object whose brace was accepted. */
static bool enter_key(struct scan *s, const struct text *step)
{
	do {
		uint32_t begin, n;

		skip_blanks(s);
		begin = s->at + 1;
		if (!skip_string(s))
			return false;
		n = s->at - 1 - begin;
		if (!accept_next(s, ':'))
			return false;
		if (n == step->len && bytes_compare(s->text.s + begin, step->s, n) == 0)
			return true;
		if (!skip_value(s))
			return false;
	} while (accept_next(s, ','));
	return false;
}

static bool index_of(const struct text *step, uint64_t *index)
{
	*index = 0;
	for (uint32_t i = 0; i < step->len; i++) {
		if (step->s[i] < '0' || step->s[i] > '9' || *index > UINT32_MAX)
			return false;
		*index = *index * 10 + (uint64_t)(step->s[i] - '0');
	}
	return true;
}

/* To the element, in an array whose bracket was accepted. */
static bool enter_element(struct scan *s, const struct text *step)
{
	uint64_t index;

	if (!index_of(step, &index))
		return false;
	for (; index > 0; index--)
		if (!skip_value(s) || !accept_next(s, ','))
			return false;
	skip_blanks(s);
	return peek(s) != ']';
}

static bool enter(struct scan *s, const struct text *step)
{
	if (accept_next(s, '{'))
		return enter_key(s, step);
	return accept(s, '[') && enter_element(s, step);
}

/* The value that the path leads to, as text; false: NULL. */
static bool select_value(struct scan *s, struct scan *path, struct text *value)
{
	struct text step;
	bool any = false;

	for (; next_step(path, &step); any = true)
		if (!enter(s, &step))
			return false;
	skip_blanks(s);
	value->s = s->text.s + s->at;
	value->len = s->at;
	if (!any || !skip_value(s))
		return false;
	value->len = s->at - value->len;
	if (value->len >= 2 && value->s[0] == '"') {
		value->s++;
		value->len -= 2;
	}
	return true;
}

enum fault subr_json(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	struct scan s = {.at = 0}, path = {.at = 0};
	struct text value;
	enum fault fault = text_take(f, args[0], &s.text);

	(void)n;
	if (fault == FAULT_NONE)
		fault = text_take(f, args[1], &path.text);
	if (fault != FAULT_NONE || !select_value(&s, &path, &value))
		return fault;
	return text_return(f, value.s, value.len, out);
}
