/* SPDX-License-Identifier: MIT */
/*
 * Paths, by their text alone: basename() and dirname() as the commands of these
 * names, and cleanpath().
 */
#include "vm/subr/text.h"

/* Without the slashes at its end; all of "/", "//" ... go. */
static uint32_t trimmed(const struct text *s, uint32_t n)
{
	while (n > 0 && s->s[n - 1] == '/')
		n--;
	return n;
}

/* Start of the last component of the first n characters. */
static uint32_t last_component(const struct text *s, uint32_t n)
{
	while (n > 0 && s->s[n - 1] != '/')
		n--;
	return n;
}

enum fault subr_basename(struct firing *f, const uint64_t *args, unsigned n,
			 uint64_t *out)
{
	struct text s;
	uint32_t begin, end;
	enum fault fault = text_take(f, args[0], &s);

	(void)n;
	if (fault != FAULT_NONE)
		return fault;
	end = trimmed(&s, s.len);
	if (end == 0)
		return text_return(f, s.len ? "/" : ".", 1, out);
	begin = last_component(&s, end);
	return text_return(f, s.s + begin, end - begin, out);
}

enum fault subr_dirname(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	struct text s;
	uint32_t end;
	enum fault fault = text_take(f, args[0], &s);

	(void)n;
	if (fault != FAULT_NONE)
		return fault;
	end = trimmed(&s, last_component(&s, trimmed(&s, s.len)));
	if (end == 0)
		return text_return(f, s.len && s.s[0] == '/' ? "/" : ".", 1, out);
	return text_return(f, s.s, end, out);
}

/* ---- cleanpath ---- */

/* The path made so far: root is the length that ".." never goes below. */
struct clean {
	struct text_new t;
	uint32_t root;
};

static bool is_dots(const char *s, uint32_t n, uint32_t dots)
{
	if (n != dots)
		return false;
	while (n > 0 && s[n - 1] == '.')
		n--;
	return n == 0;
}

/* Takes the last component, and its slash, away; false: there is none. */
static bool go_up(struct clean *c)
{
	struct text made = {c->t.s, c->t.len};
	uint32_t from;

	if (made.len == c->root)
		return c->t.len > 0 && c->t.s[0] == '/';
	from = last_component(&made, made.len - 1);
	if (from < c->root || is_dots(made.s + from, made.len - 1 - from, 2))
		return false;
	c->t.len = from;
	return true;
}

/* One component. "." disappears only before a slash, ".." at the end as well. */
static void add_component(struct clean *c, const char *s, uint32_t n, bool has_slash)
{
	if (has_slash && is_dots(s, n, 1) && c->t.len > 0)
		return;
	if (is_dots(s, n, 2) && go_up(c))
		return;
	text_append(&c->t, s, n);
	if (has_slash)
		text_append(&c->t, "/", 1);
	if (is_dots(s, n, 1)) /* "./" in front stays there */
		c->root = c->t.len;
}

static void clean(struct clean *c, const struct text *s)
{
	uint32_t i = 0;

	if (s->len && s->s[0] == '/')
		text_append(&c->t, "/", 1);
	c->root = c->t.len;
	while (i < s->len) {
		uint32_t begin = i;

		while (i < s->len && s->s[i] != '/')
			i++;
		if (i > begin)
			add_component(c, s->s + begin, i - begin, i < s->len);
		i++;
	}
	if (c->t.len == 0 && s->len) /* "a/../" and "a/.." are where one is */
		text_append(&c->t, "./", 2);
}

enum fault subr_cleanpath(struct firing *f, const uint64_t *args, unsigned n,
			  uint64_t *out)
{
	struct clean c = {.root = 0};
	struct text s;
	enum fault fault = text_take(f, args[0], &s);

	(void)n;
	if (fault == FAULT_NONE)
		fault = text_begin(f, max_u64(s.len, 2), &c.t);
	if (fault != FAULT_NONE)
		return fault;
	clean(&c, &s);
	*out = text_end(f, &c.t);
	return FAULT_NONE;
}
