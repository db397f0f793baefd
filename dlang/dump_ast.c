/* SPDX-License-Identifier: MIT */
/*
 * The tree as text: one line for each statement. Expressions are in prefix form, with
 * parentheses for each operator, so that the precedence is visible:
 *
 *	clause 1:1
 *	  probe :::BEGIN
 *	  predicate (== pid 5)
 *	  (= self->x (+ 1 (* 2 3)))
 *
 * In the typed form each expression is followed by ":type".
 */
#include "dlang/internal.h"
#include "dlang/type.h"

#include <string.h>

struct dump {
	struct strbuf *out;
	bool typed;
};

static void put_expr(struct dump *u, const struct ast_expr *e);

/* ---- types as written ---- */

static void put_tag(struct dump *u, const struct ast_tag *t);

static void put_specs(struct dump *u, const struct ast_specs *s)
{
	static const char *const bases[] = {
		[BASE_NONE] = "",	   [BASE_VOID] = " void",
		[BASE_CHAR] = " char",	   [BASE_INT] = " int",
		[BASE_FLOAT] = " float",   [BASE_DOUBLE] = " double",
		[BASE_STRING] = " string", [BASE_NAME] = " ",
		[BASE_TAGGED] = "",
	};
	static const char *const flags[] = {" short",	 " long",     " long long",
					    " signed",	 " unsigned", " const",
					    " volatile", " restrict", " userland"};

	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (s->flags & 1u << i)
			strbuf_puts(u->out, flags[i]);
	strbuf_puts(u->out, bases[s->base]);
	if (s->base == BASE_NAME)
		strbuf_puts(u->out, s->name);
	else if (s->base == BASE_TAGGED && s->tag)
		put_tag(u, s->tag);
}

static void put_typename(struct dump *u, const struct ast_typename *t);

static void put_params(struct dump *u, const struct ast_derive *v)
{
	for (const struct ast_typename *t = v->params; t; t = t->next) {
		strbuf_puts(u->out, t == v->params ? "" : ",");
		put_typename(u, t);
	}
	if (v->varargs)
		strbuf_puts(u->out, v->params ? ", ..." : " ...");
}

static void put_derive(struct dump *u, const struct ast_derive *v)
{
	switch (v->kind) {
	case DERIVE_POINTER:
		strbuf_puts(u->out, " pointer to");
		break;
	case DERIVE_ARRAY:
		strbuf_puts(u->out, " array [");
		if (v->size)
			put_expr(u, v->size);
		strbuf_puts(u->out, "] of");
		break;
	case DERIVE_ASSOC:
		strbuf_puts(u->out, " array by (");
		put_params(u, v);
		strbuf_puts(u->out, " ) of");
		break;
	case DERIVE_FUNC:
		strbuf_puts(u->out, " function (");
		put_params(u, v);
		strbuf_puts(u->out, " ) giving");
		break;
	}
}

static void put_derives(struct dump *u, const struct ast_declarator *d)
{
	for (const struct ast_derive *v = d->derive; v; v = v->next)
		put_derive(u, v);
}

static void put_typename(struct dump *u, const struct ast_typename *t)
{
	if (t->declarator->name)
		strbuf_printf(u->out, " %s:", t->declarator->name);
	put_derives(u, t->declarator);
	put_specs(u, t->specs);
}

static void put_members(struct dump *u, const struct ast_decl *list)
{
	for (; list; list = list->next) {
		for (const struct ast_declarator *m = list->declarators; m;
		     m = m->next) {
			strbuf_printf(u->out, " %s:", m->name ? m->name : "");
			put_derives(u, m);
			put_specs(u, list->specs);
			if (m->width) {
				strbuf_puts(u->out, " bits ");
				put_expr(u, m->width);
			}
			strbuf_putc(u->out, ';');
		}
	}
}

static void put_enumerators(struct dump *u, const struct ast_enumerator *list)
{
	for (; list; list = list->next) {
		strbuf_printf(u->out, " %s", list->name);
		if (list->value) {
			strbuf_puts(u->out, " = ");
			put_expr(u, list->value);
		}
		strbuf_putc(u->out, ';');
	}
}

static void put_tag(struct dump *u, const struct ast_tag *t)
{
	static const char *const words[] = {
		[TAG_STRUCT] = " struct", [TAG_UNION] = " union", [TAG_ENUM] = " enum"};

	strbuf_puts(u->out, words[t->kind]);
	if (t->name)
		strbuf_printf(u->out, " %s", t->name);
	if (!t->has_body)
		return;
	strbuf_puts(u->out, " {");
	put_members(u, t->members);
	put_enumerators(u, t->enumerators);
	strbuf_puts(u->out, " }");
}

/* ---- expressions ---- */

static void put_string(struct strbuf *out, const char *s, size_t n)
{
	strbuf_putc(out, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			strbuf_printf(out, "\\%c", c);
		else if (c == '\n')
			strbuf_puts(out, "\\n");
		else if (c < ' ' || c >= 0x7f)
			strbuf_printf(out, "\\%03o", c);
		else
			strbuf_putc(out, (char)c);
	}
	strbuf_putc(out, '"');
}

static void put_int(struct dump *u, const struct ast_expr *e)
{
	if (e->int_unsigned)
		strbuf_printf(u->out, "%lluu", (unsigned long long)e->value);
	else
		strbuf_printf(u->out, "%lld", (long long)e->value);
	for (unsigned i = 0; i < e->int_longs; i++)
		strbuf_putc(u->out, 'l');
}

static void put_variable(struct dump *u, const struct ast_expr *e)
{
	static const char *const scopes[] = {"", "self->", "this->"};

	strbuf_printf(u->out, "%s%s", scopes[e->scope], e->text);
}

static void put_list(struct dump *u, const struct ast_expr *list)
{
	for (; list; list = list->next) {
		strbuf_putc(u->out, ' ');
		put_expr(u, list);
	}
}

static void put_aggregation(struct dump *u, const struct ast_expr *e)
{
	if (e->has_brackets) {
		strbuf_printf(u->out, "([] @%s", e->text);
		put_list(u, e->args);
		strbuf_putc(u->out, ')');
	} else {
		strbuf_printf(u->out, "@%s", e->text);
	}
}

/* Nodes that are one word. */
static bool put_atom(struct dump *u, const struct ast_expr *e)
{
	switch (e->kind) {
	case EXPR_ERROR:
		strbuf_puts(u->out, "<error>");
		return true;
	case EXPR_INT:
		put_int(u, e);
		return true;
	case EXPR_STRING:
		put_string(u->out, e->text, e->len);
		return true;
	case EXPR_VAR:
		put_variable(u, e);
		return true;
	case EXPR_PARAM:
		strbuf_puts(u->out, e->text);
		return true;
	case EXPR_AGG:
		put_aggregation(u, e);
		return true;
	default:
		return false;
	}
}

static void put_operator(struct dump *u, const struct ast_expr *e)
{
	switch (e->kind) {
	case EXPR_CALL:
		strbuf_puts(u->out, "call");
		break;
	case EXPR_INDEX:
		strbuf_puts(u->out, "[]");
		break;
	case EXPR_POSTFIX:
		strbuf_printf(u->out, "post%s", ast_op_text(e->op));
		break;
	case EXPR_CAST:
	case EXPR_SIZEOF:
	case EXPR_OFFSETOF:
	case EXPR_XLATE:
		strbuf_puts(u->out, e->kind == EXPR_CAST     ? "cast"
				    : e->kind == EXPR_SIZEOF ? "sizeof"
				    : e->kind == EXPR_XLATE  ? "xlate"
							     : "offsetof");
		if (e->tname) {
			strbuf_puts(u->out, " <");
			put_typename(u, e->tname);
			strbuf_puts(u->out, " >");
		}
		break;
	default:
		strbuf_puts(u->out, ast_op_text(e->op));
	}
}

static void put_node(struct dump *u, const struct ast_expr *e)
{
	const struct ast_expr *operands[] = {e->left, e->right, e->third};

	strbuf_putc(u->out, '(');
	put_operator(u, e);
	for (size_t i = 0; i < ARRAY_LEN(operands); i++) {
		if (operands[i]) {
			strbuf_putc(u->out, ' ');
			put_expr(u, operands[i]);
		}
	}
	if (e->kind == EXPR_MEMBER || e->kind == EXPR_OFFSETOF)
		strbuf_printf(u->out, " %s", e->text);
	put_list(u, e->args);
	strbuf_putc(u->out, ')');
}

static void put_expr(struct dump *u, const struct ast_expr *e)
{
	if (!put_atom(u, e))
		put_node(u, e);
	if (u->typed && e->type) {
		strbuf_putc(u->out, ':');
		strbuf_puts(u->out, e->type ? e->type->name : "?");
	}
}

/* ---- statements, clauses, declarations ---- */

static void put_statements(struct dump *u, const struct ast_stmt *s, size_t indent)
{
	for (; s; s = s->next) {
		strbuf_pad(u->out, ' ', indent);
		strbuf_puts(u->out, s->kind == STMT_IF ? "if " : "");
		put_expr(u, s->expr);
		strbuf_putc(u->out, '\n');
		if (s->kind != STMT_IF)
			continue;
		put_statements(u, s->then, indent + 2);
		if (!s->otherwise)
			continue;
		strbuf_pad(u->out, ' ', indent);
		strbuf_puts(u->out, "else\n");
		put_statements(u, s->otherwise, indent + 2);
	}
}

static void put_probe(struct dump *u, const struct ast_probe *probe)
{
	if (probe->id)
		strbuf_printf(u->out, "  probe %u\n", probe->id);
	else
		strbuf_printf(u->out, "  probe %s:%s:%s:%s\n", probe->field[0],
			      probe->field[1], probe->field[2], probe->field[3]);
}

void dump_clause(const struct ast_clause *c, bool typed, struct strbuf *out)
{
	struct dump u = {.out = out, .typed = typed};

	strbuf_printf(out, "clause %u:%u\n", c->pos.line, c->pos.column);
	for (const struct ast_probe *probe = c->probes; probe; probe = probe->next)
		put_probe(&u, probe);
	if (c->predicate) {
		strbuf_puts(out, "  predicate ");
		put_expr(&u, c->predicate);
		strbuf_putc(out, '\n');
	}
	put_statements(&u, c->body, 2);
}

void dump_decl(const struct ast_decl *decl, bool typed, struct strbuf *out)
{
	static const char *const storage[] = {
		"variable", "self", "this",	"extern",
		"typedef",  "auto", "register", "static",
	};
	struct dump u = {.out = out, .typed = typed};
	const struct ast_declarator *d = decl->declarators;

	do {
		strbuf_printf(out, "%s", storage[decl->specs->storage]);
		if (d) {
			strbuf_printf(out, " %s:", d->name ? d->name : "");
			put_derives(&u, d);
		}
		put_specs(&u, decl->specs);
		strbuf_putc(out, '\n');
		d = d ? d->next : NULL;
	} while (d);
}

/* The expression as parsed: a copy of it is checked at each use. */
void dump_inline(const struct ast_inline *def, bool typed, struct strbuf *out)
{
	struct dump u = {.out = out, .typed = typed};

	strbuf_puts(out, "inline");
	put_typename(&u, def->what);
	if (def->params) {
		strbuf_puts(out, " [");
		put_params(&u, def->params);
		strbuf_puts(out, " ]");
	}
	strbuf_puts(out, " = ");
	put_expr(&u, def->value);
	strbuf_putc(out, '\n');
}
