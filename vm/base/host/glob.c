/* SPDX-License-Identifier: MIT */
#include "vm/base/host/glob.h"

#include <string.h>

bool glob_is_pattern(const char *pattern)
{
	return strpbrk(pattern, "*?[\\") != NULL;
}

/*
 * [abc], [a-z], [!abc] after its '['. A ] that comes first is one of the set;
 * a - that comes first or last too; \ quotes. Returns the bytes up to and
 * with the closing ], 0 if there is none.
 */
static size_t match_set(const char *set, unsigned char c, bool *matches)
{
	const char *p = set;
	bool is_negated = *p == '!', is_in = false;
	int from = -1; /* the byte before, where a range could start */

	p += is_negated;
	do {
		bool is_range = *p == '-' && from >= 0 && p[1] != ']';
		unsigned char to;

		p += is_range;
		p += *p == '\\';
		to = (unsigned char)*p++;
		if (!to)
			return 0;
		if (!is_range)
			from = to;
		is_in |= from <= c && c <= to;
		from = is_range ? -1 : to;
	} while (*p != ']');
	*matches = is_in != is_negated;
	return (size_t)(p - set) + 1;
}

/*
 * Whether the first item of the pattern, which is not *, matches c. Returns
 * the bytes it takes, 0 if it is malformed.
 */
static size_t match_item(const char *pattern, unsigned char c, bool *matches)
{
	size_t n;

	*matches = false;
	switch (*pattern) {
	case '?':
		*matches = true;
		return 1;
	case '[':
		n = match_set(pattern + 1, c, matches);
		return n ? n + 1 : 0;
	case '\\':
		*matches = (unsigned char)pattern[1] == c;
		return pattern[1] ? 2 : 0;
	default:
		*matches = (unsigned char)*pattern == c;
		return 1;
	}
}

/*
 * Only the last * needs to be tried again with more text, so the time is at
 * most the product of the lengths.
 */
bool glob_match(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		bool matches = false;
		size_t n = 0;

		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
			continue;
		}
		if (*pattern)
			n = match_item(pattern, (unsigned char)*text, &matches);
		if (*pattern && !n)
			return false;
		if (matches) {
			pattern += n;
			text++;
		} else if (star) {
			pattern = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
