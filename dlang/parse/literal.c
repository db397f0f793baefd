/* SPDX-License-Identifier: MIT */
/*
 * Literals: integers, character constants, strings.
 */
#include "dlang/base/diag.h"
#include "dlang/parse/lex.h"

#include <string.h>

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

static unsigned number_base(const char *s, size_t n, size_t *prefix)
{
	*prefix = 0;
	if (n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') &&
	    digit_value(s[2]) < 16) {
		*prefix = 2;
		return 16;
	}
	return n > 1 && s[0] == '0' && digit_value(s[1]) < 10 ? 8 : 10;
}

static size_t suffix(const char *s, size_t n, struct tok *t)
{
	size_t i = 0;

	if (i < n && (s[i] == 'u' || s[i] == 'U')) {
		t->int_unsigned = true;
		i++;
	}
	while (i < n && t->int_longs < 2 && (s[i] == 'l' || s[i] == 'L')) {
		t->int_longs++;
		i++;
	}
	return i;
}

size_t lex_number(const char *s, size_t n, struct tok *t, long *bad, bool *overflow)
{
	size_t i, prefix;
	unsigned base = number_base(s, n, &prefix);
	unsigned scan = base == 16 ? 16 : 10; /* 089 is one, invalid constant */

	t->kind = TOK_INT;
	t->value = 0;
	t->int_decimal = base == 10;
	*bad = -1;
	*overflow = false;
	for (i = prefix; i < n && digit_value(s[i]) < (int)scan; i++) {
		unsigned digit = (unsigned)digit_value(s[i]);

		if (digit >= base && *bad < 0)
			*bad = (long)i;
		if (__builtin_mul_overflow(t->value, base, &t->value) ||
		    __builtin_add_overflow(t->value, digit, &t->value))
			*overflow = true;
	}
	if (i == prefix)
		return 0;
	i += suffix(s + i, n - i, t);
	if (t->int_decimal && !t->int_unsigned && t->value > INT64_MAX)
		*overflow = true;
	return i;
}

/* The length of the floating-point constant at s; 0: there is none. */
static size_t float_length(const char *s)
{
	size_t i = strspn(s, "0123456789"), digits = i, e;
	bool is_float = false;

	if (s[i] == '.') {
		size_t fraction = strspn(s + i + 1, "0123456789");

		is_float = i > 0 || fraction > 0;
		digits += fraction;
		i += 1 + fraction;
	}
	if (digits && (s[i] == 'e' || s[i] == 'E')) {
		e = i + 1;
		e += s[e] == '+' || s[e] == '-';
		if (s[e] >= '0' && s[e] <= '9') {
			is_float = true;
			i = e + strspn(s + e, "0123456789");
		}
	}
	if (is_float && s[i] && strchr("fFlL", s[i]))
		i++;
	return is_float ? i : 0;
}

void lex_int(struct lexer *lx, struct tok *t)
{
	const char *s = lx->p;
	bool overflow;
	long bad;
	size_t n = float_length(s);

	if (n) {
		t->kind = TOK_ERROR;
		lx->p += n;
		lex_error(lx, &t->pos, "D_SYNTAX",
			  "floating-point constants are not permitted");
		return;
	}
	n = lex_number(s, strlen(s), t, &bad, &overflow);
	lx->p += n;
	if (bad >= 0)
		lex_error(lx, &t->pos, "D_INT_DIGIT",
			  "constant %.*s contains invalid digit %c", (int)n, s, s[bad]);
	else if (overflow)
		lex_error(lx, &t->pos, "D_INT_OFLOW",
			  "constant %.*s results in integer overflow", (int)n, s);
}

/* ---- escapes ---- */

static size_t hex_escape(const char *s, size_t n, char *out)
{
	unsigned value = 0;
	size_t i = 0;

	for (; i < n && digit_value(s[i]) < 16; i++)
		value = (value << 4 | (unsigned)digit_value(s[i])) & 0xff;
	*out = (char)value;
	return i;
}

static size_t octal_escape(const char *s, size_t n, char *out)
{
	unsigned value = 0;
	size_t i = 0;

	for (; i < n && i < 3 && s[i] >= '0' && s[i] <= '7'; i++)
		value = value << 3 | (unsigned)digit_value(s[i]);
	*out = (char)(value & 0xff);
	return i;
}

/* Decodes the escape after the backslash. Returns its length; 0: it is no escape. */
static size_t escape(const char *s, size_t n, char *out)
{
	static const char from[] = "abfnrtv\"\\'?", to[] = "\a\b\f\n\r\t\v\"\\'?";
	const char *at;

	if (n == 0 || *s == '\0')
		return 0;
	if (*s >= '0' && *s <= '7')
		return octal_escape(s, n, out);
	if (*s == 'x') {
		size_t digits = hex_escape(s + 1, n - 1, out);

		return digits ? digits + 1 : 0;
	}
	at = strchr(from, *s);
	if (!at)
		return 0;
	*out = to[at - from];
	return 1;
}

size_t lex_unescape(const char *s, size_t n, char *dst)
{
	size_t len = 0;

	for (size_t i = 0; i < n;) {
		size_t used =
			s[i] == '\\' ? escape(s + i + 1, n - i - 1, &dst[len]) : 0;

		if (used == 0)
			dst[len] = s[i];
		i += used + 1;
		len++;
	}
	dst[len] = '\0';
	return len;
}

/* ---- quoted literals ---- */

/*
 * The characters between the quotes. Leaves lx->p after the literal, or at the newline
 * that interrupts it.
 */
static int quoted(struct lexer *lx, struct tok *t, const char *nl_tag,
		  const char *nl_text)
{
	char quote = *lx->p++;
	const char *s = lx->p;

	while (*lx->p && *lx->p != '\n' && *lx->p != quote)
		lx->p += lx->p[0] == '\\' && lx->p[1] && lx->p[1] != '\n' ? 2 : 1;
	if (*lx->p != quote) {
		bool is_end = *lx->p == '\0';

		t->kind = TOK_ERROR;
		if (is_end)
			return lex_error(lx, &t->pos, "D_SYNTAX",
					 "end-of-file encountered before matching %c",
					 quote);
		return lex_error(lx, &t->pos, nl_tag, "%s", nl_text);
	}
	char *text = arena_alloc(&lx->d->arena, (size_t)(lx->p - s) + 1);

	t->len = lex_unescape(s, (size_t)(lx->p - s), text);
	t->text = text;
	lx->p++;
	return 0;
}

void lex_string(struct lexer *lx, struct tok *t)
{
	t->kind = TOK_STRING;
	quoted(lx, t, "D_STR_NL", "newline encountered in string literal");
}

void lex_char(struct lexer *lx, struct tok *t)
{
	t->kind = TOK_INT;
	if (quoted(lx, t, "D_CHR_NL", "newline encountered in character constant"))
		return;
	if (t->len == 0)
		lex_error(lx, &t->pos, "D_CHR_NULL", "empty character constant");
	else if (t->len > 8)
		lex_error(lx, &t->pos, "D_CHR_OFLOW", "character constant is too long");
	for (size_t i = 0; i < t->len && i < 8; i++)
		t->value = t->value << 8 | (unsigned char)t->text[i];
	t->int_decimal = t->value <= INT64_MAX;
	t->text = NULL;
	t->len = 0;
}
