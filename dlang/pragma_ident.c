/* SPDX-License-Identifier: MIT */
/*
 * Pragmas about names: their stability, and the version that brought them. A name
 * that is not defined yet gets what its pragmas say when it is (scope.c).
 */
#include "dlang/backend.h"
#include "dlang/pragma.h"
#include "dlang/provider.h"
#include "dlang/version.h"

static struct ident_pragma *add(struct lexer *lx, const struct line *l,
				struct slice name)
{
	struct scope *s = scope_of(lx->d);
	struct ident_pragma *p = arena_alloc(&lx->d->arena, sizeof(*p));

	p->name = arena_strndup(&lx->d->arena, name.s, name.n);
	p->pos = l->pos;
	p->next = s->pragmas;
	s->pragmas = p;
	return p;
}

/*
 * The name of the pragma if it is defined already: only by the present program may
 * it be. False: reported.
 */
static bool find(struct lexer *lx, const struct line *l, const char *pragma,
		 struct slice name, struct ident **out)
{
	const char *text = arena_strndup(&lx->d->arena, name.s, name.n);
	struct scope *s = scope_of(lx->d);

	*out = scope_find(s, AST_GLOBAL, text);
	if (!*out || (*out)->unit == s->unit)
		return true;
	lex_error(lx, &l->pos, "D_PRAGMA_SCOPE",
		  "#pragma %s cannot modify %s: it is defined outside of this program",
		  pragma, text);
	return false;
}

static bool is_built_in_provider(struct slice name)
{
	return pragma_is_word(name, "dtrace") || pragma_is_word(name, "profile") ||
	       pragma_is_word(name, "pid") || pragma_is_word(name, "fpid");
}

/* attributes A/B/C provider NAME provider|module|function|name|args */
static void provider_attributes(struct lexer *lx, struct line *l, struct stability attr)
{
	struct slice name = pragma_next_word(l), field = pragma_next_word(l);
	char *text, *part;

	if (field.n == 0 || pragma_next_word(l).n) {
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "malformed #pragma attributes: a provider's name and one of "
			  "provider, module, function, name, args expected");
		return;
	}
	if (is_built_in_provider(name)) {
		lex_error(lx, &l->pos, "D_PRAGMA_SCOPE",
			  "#pragma attributes cannot modify provider %.*s: it is "
			  "defined outside of this program",
			  (int)name.n, name.s);
		return;
	}
	text = arena_strndup(&lx->d->arena, name.s, name.n);
	part = arena_strndup(&lx->d->arena, field.s, field.n);
	if (stability_set_provider(lx->d, text, part, attr))
		lex_error(lx, &l->pos, "D_PRAGMA_INVAL",
			  "invalid component \"%s\" in attribute #pragma for provider "
			  "%s",
			  part, text);
	else if (!provider_is_declared(lx->d, text))
		add(lx, l, name)->is_provider = true;
}

void pragma_attributes(struct lexer *lx, struct line *l)
{
	struct slice triplet = pragma_next_word(l), name = pragma_next_word(l);
	struct ident_pragma *p;
	struct stability attr;
	struct ident *id;

	if (lx->mute)
		return;
	if (name.n == 0) {
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "malformed #pragma attributes: attributes and a name "
			  "expected");
		return;
	}
	if (!stability_parse(triplet.s, triplet.n, &attr)) {
		lex_error(lx, &l->pos, "D_PRAGMA_INVAL",
			  "invalid attributes \"%.*s\" in #pragma attributes",
			  (int)triplet.n, triplet.s);
		return;
	}
	if (pragma_is_word(name, "provider")) {
		provider_attributes(lx, l, attr);
		return;
	}
	if (pragma_next_word(l).n) {
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "superfluous arguments specified for #pragma attributes");
		return;
	}
	if (!find(lx, l, "attributes", name, &id))
		return;
	if (id) {
		id->attr = attr;
		id->has_attr = true;
		return;
	}
	p = add(lx, l, name);
	p->attr = attr;
	p->has_attr = true;
}

static struct slice unquoted(struct slice w)
{
	if (w.n >= 2 && w.s[0] == '"' && w.s[w.n - 1] == '"')
		return (struct slice){w.s + 1, w.n - 2};
	return w;
}

void pragma_binding(struct lexer *lx, struct line *l)
{
	struct slice number = pragma_next_word(l), name = pragma_next_word(l);
	uint32_t version;
	struct ident *id;

	if (lx->mute)
		return;
	if (name.n == 0 || pragma_next_word(l).n) {
		lex_error(lx, &l->pos, "D_PRAGMA_MALFORM",
			  "malformed #pragma binding: a version and a name expected");
		return;
	}
	number = unquoted(number);
	if (version_parse(number.s, number.n, &version)) {
		lex_error(lx, &l->pos, "D_PRAGMA_INVAL",
			  "invalid version string \"%.*s\" in #pragma binding",
			  (int)number.n, number.s);
		return;
	}
	if (!find(lx, l, "binding", name, &id))
		return;
	if (id)
		id->since = version;
	else
		add(lx, l, name)->since = version;
}
