/* SPDX-License-Identifier: MIT */
/*
 * Types and symbols that a made-up target knows: which names are asked for, where,
 * and what a program can do with what comes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "dlang/dlang.h"
#include "dlang/typesrc.h"

/* ---- the target ---- */

struct known {
	const char *object; /* NULL: found wherever one looks */
	const char *name;
	enum type_kind kind;
};

static const struct known known[] = {
	{NULL, "struct node", TYPE_STRUCT},
	{"lib.so", "struct only", TYPE_STRUCT},
	{NULL, "union both", TYPE_UNION},
	{NULL, "enum hue", TYPE_ENUM},
	{"lib.so", "only_t", TYPE_INT},
	{NULL, "word_t", TYPE_INT},
	{NULL, "struct opaque", TYPE_STRUCT},
	{NULL, "struct ns::S", TYPE_STRUCT},
	{NULL, "struct ns::G<int, x::y>", TYPE_STRUCT},
};

static const struct typesrc source;

static const struct type *find_type(void *ctx, struct types *ts, const char *object,
				    const char *name, struct err *e)
{
	const struct known *k = known;
	struct type *t;

	(void)ctx;
	if (strcmp(name, "struct twin") == 0) {
		err_tag(e, "D_IDENT_AMBIG", "struct twin: a or b");
		return NULL;
	}
	for (; k < known + sizeof(known) / sizeof(known[0]); k++)
		if (strcmp(k->name, name) == 0 &&
		    (!k->object || !object || strcmp(object, "pid") == 0 ||
		     strncmp(k->object, object, strlen(k->object)) == 0))
			break;
	if (k == known + sizeof(known) / sizeof(known[0]) ||
	    (object && strcmp(object, "other.so") == 0))
		return NULL;
	if (k->kind == TYPE_INT)
		return type_find(ts, "short");
	t = type_tagged(ts, k->kind, name, false);
	t->source = &source;
	return t;
}

static bool complete_type(void *ctx, struct types *ts, struct type *t)
{
	const struct type *pointer = type_userland(ts, type_pointer(ts, t));

	(void)ctx;
	if (strcmp(t->name, "struct opaque") == 0)
		return false;
	if (t->kind == TYPE_ENUM) {
		type_add_member(ts, t,
				&(struct type_member){.name = "PALE", .value = 3});
		type_add_member(ts, t,
				&(struct type_member){.name = "DARK", .value = 4});
		return true;
	}
	type_add_member(ts, t,
			&(struct type_member){.name = "value", .type = ts->t_int});
	type_add_member(ts, t, &(struct type_member){.name = "next", .type = pointer});
	type_lay_out(ts, t);
	return true;
}

static int find_symbol(void *ctx, struct types *ts, struct typesrc_symbol *s,
		       struct err *e)
{
	s->address = 0x4000;
	if (s->object && strcmp(s->object, "other.so") == 0)
		return err_tag(e, "D_IDENT_UNDEF",
			       "failed to resolve %s: Unknown symbol/module name",
			       s->name);
	if (strcmp(s->name, "total") == 0)
		s->type = ts->t_int;
	else if (strcmp(s->name, "head") == 0)
		s->type = find_type(ctx, ts, NULL, "struct node", e);
	else if (strcmp(s->name, "table") == 0)
		s->type = type_array(ts, type_pointer(ts, ts->t_char), 4);
	else if (strcmp(s->name, "func") == 0)
		s->type = ts->t_func;
	return 0;
}

static bool macro(void *ctx, const char *name, int64_t *value)
{
	(void)ctx;
	*value = 1234;
	return strcmp(name, "target") == 0;
}

static const struct typesrc source = {
	.find = find_type,
	.complete = complete_type,
	.symbol = find_symbol,
};

/* ---- the tests ---- */

struct use {
	const char *declarations, *expression;
	const char *expected; /* the expression's type, or a part of the message */
};

/* "TYPE" of "(sizeof...):TYPE": what the typed tree says of trace()'s argument. */
static void dump(const struct use *u, struct strbuf *out)
{
	const struct dlang_env env = {.types = &source, .macro = macro};
	char text[1024];
	const struct dlang_source src = {.text = text, .name = "x.d", .is_file = true};
	struct dlang *d = dlang_new(&env);

	snprintf(text, sizeof(text), "%s BEGIN { trace(%s); }", u->declarations,
		 u->expression);
	dlang_options(d)->errtags = true;
	dlang_dump(d, &src, "typed", out);
	dlang_free(d);
}

static void check_uses(const struct use *uses, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct strbuf out = {0};

		strbuf_puts(&out, "");
		dump(&uses[i], &out);
		if (!strstr(out.data, uses[i].expected))
			fail_msg("%s %s: no '%s' in %s", uses[i].declarations,
				 uses[i].expression, uses[i].expected, out.data);
		strbuf_release(&out);
	}
}

static void test_types(void **state)
{
	static const struct use uses[] = {
		{"", "sizeof (struct node)", "16:size_t"},
		{"", "offsetof(struct node, next)", "8:size_t"},
		{"", "sizeof (word_t)", "2:size_t"},
		{"", "(word_t)arg0", ":short):void"},
		{"word_t x;", "x", "x:short):void"},
		{"self word_t x[word_t];", "self->x[1]", ":short):void"},
		{"struct s { word_t a; struct node n; };", "sizeof (struct s)",
		 "24:size_t"},
		{"struct node n;", "n.value", "value):int):void"},
		{"struct node n;", "n.next->next->value", "value):int):void"},
		{"struct node n;", "n.next", ":userland struct node *):void"},
		{"", "((struct node *)arg0)->value", "value):int):void"},
		{"", "(struct node *)arg0", ":struct node *):void"},
		{"", "(struct pid`node *)arg0", ":userland struct node *):void"},
		{"", "(struct pid1234`node *)arg0", ":userland struct node *):void"},
		{"", "(pid`struct node *)arg0", ":userland struct node *):void"},
		{"", "(struct pid`lib.so`only *)arg0", ":userland struct only *):void"},
		{"", "(struct pid`LM0`lib.so`only *)arg0",
		 ":userland struct only *):void"},
		{"", "(struct lib.so`only *)arg0", ":struct only *):void"},
		{"", "(lib.so`only_t)arg0", ":short):void"},
		{"struct node { char c; };", "sizeof (struct node)", "1:size_t"},
		{"struct node { char c; };", "sizeof (struct pid`node)", "16:size_t"},
		{"struct node { char c; };", "sizeof (struct D`node)", "1:size_t"},
		{"", "(struct other.so`node *)arg0",
		 "[D_DECL_IDENT] line 1: failed to resolve struct other.so`node: "
		 "Unknown type name"},
		{"", "(struct pid9`node *)arg0", "Unknown type name"},
		{"", "(struct pid`a`b`c`node *)arg0",
		 "Improper use of scoping operator in type name"},
		{"", "((struct opaque *)arg0)->value", "[D_OP_INCOMPLETE]"},
		{"", "sizeof (struct opaque)", "[D_SIZEOF_TYPE]"},
		{"int word_t;", "word_t", "word_t:int):void"},
		/* namespaces, templates, source files */
		{"", "(struct pid`ns::S *)arg0", ":userland struct ns::S *):void"},
		{"", "(pid`struct ns::S *)arg0", ":userland struct ns::S *):void"},
		{"", "(pid`ns::S *)arg0", ":userland struct ns::S *):void"},
		{"", "(struct ns::S *)arg0", ":struct ns::S *):void"},
		{"", "sizeof (struct ns::G<int, x::y>)", "16:size_t"},
		{"", "(struct ns::G<int, x::y> *)arg0",
		 ":struct ns::G<int, x::y> *):void"},
		{"", "(struct pid`lib.so`file.c`node *)arg0",
		 ":userland struct node *):void"},
		{"", "(struct pid`ns::None *)arg0", "[D_DECL_IDENT]"},
		{"", "(struct twin *)arg0", "[D_IDENT_AMBIG]"},
		{"", "(struct pid`twin *)arg0", "struct twin: a or b"},
	};

	(void)state;
	check_uses(uses, sizeof(uses) / sizeof(uses[0]));
}

static void test_enums(void **state)
{
	static const struct use uses[] = {
		{"enum hue h;", "h == DARK", "(== h:enum hue 4:int):int"},
		{"enum hue h;", "h < PALE", "(< h:enum hue 3:int):int"},
		{"enum hue h;", "DARK == h", "[D_IDENT_UNDEF]"},
		{"enum hue h;", "h + DARK", "[D_IDENT_UNDEF]"},
		{"enum hue h; int DARK;", "h == DARK",
		 "[D_IDENT_AMBIG] line 1: ambiguous use of operator ==: DARK is both a "
		 "enum hue enum tag and a global scalar"},
		{"enum hue h; enum mine { DARK };", "h != DARK",
		 "enum tag and a global enumerator"},
		{"enum hue h; enum mine { DARK = 4 };", "h != DARK",
		 "(!= h:enum hue 4:int):int"},
		{"struct s { enum hue h : 3; } s;", "s.h == PALE", "3:int):int"},
	};

	(void)state;
	check_uses(uses, sizeof(uses) / sizeof(uses[0]));
}

static void test_symbols(void **state)
{
	static const struct use uses[] = {
		{"", "a.out`total", "a.out`total:int):void"},
		{"", "`total", "`total:int):void"},
		{"", "pid`lib.so`total", ":int):void"},
		{"", "&a.out`total", ":userland int *):void"},
		{"", "a.out`head.next->value", "value):int):void"},
		{"", "&a.out`head.next", ":userland struct node **):void"},
		{"", "a.out`table[2]", ":userland char *):void"},
		{"", "a.out`table + 1", ":userland char **):void"},
		{"", "a.out`func", ":userland int (*)()):void"},
		{"", "sizeof (a.out`table)", "32:size_t"},
		{"", "a.out`total = 1", "[D_OP_WRITE]"},
		{"", "a.out`total++", "[D_OP_WRITE]"},
		{"", "a.out`untyped", "[D_SYM_NOTYPES]"},
		{"extern long untyped;", "a.out`untyped", "a.out`untyped:long):void"},
		{"extern long untyped;", "untyped", "untyped:long):void"},
		{"extern char total;", "total", "total:int):void"},
		{"extern long untyped;", "untyped = 1", "[D_OP_WRITE]"},
		{"", "other.so`total",
		 "[D_IDENT_UNDEF] line 1: failed to resolve total: Unknown "
		 "symbol/module name"},
		{"", "a`b`c`d", "[D_IDENT_UNDEF]"},
		{"", "a.out`file.c`total", ":int):void"},
		{"", "a.out`ns::inner::total", "[D_SYM_NOTYPES]"},
		{"", "total", "[D_IDENT_UNDEF]"},
	};

	(void)state;
	check_uses(uses, sizeof(uses) / sizeof(uses[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_enums),
		cmocka_unit_test(test_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
