/* SPDX-License-Identifier: MIT */
/*
 * Macro variables ($pid, $target) and arguments ($1, $$1). In an expression a macro is
 * one token, made from its text; in a probe specifier the text is inserted.
 */
#include "dlang/base/diag.h"
#include "dlang/parse/lex.h"
#include "vm/base/fmt.h"
#include "vm/base/host/near.h"

#include <string.h>
#include <unistd.h>

/* One macro as written: $name, $$name, $N, $$N. */
struct macro {
	const char *name;
	size_t len;
	bool is_text;	 /* two dollars */
	bool is_default; /* set by argument(): no operand, but one of defaultargs */
};

static bool is_number(const struct macro *m)
{
	return lex_is_digit(m->name[0]);
}

/* "$1abc" is the argument $1 followed by text; in "$abc1" all is the name. */
size_t macro_length(const char *s)
{
	size_t digits = strspn(s, "0123456789"), n = 0;

	if (digits)
		return digits;
	while (lex_is_name_char(s[n]))
		n++;
	return n;
}

/* ---- values ---- */

static bool own_value(const char *name, int64_t *value)
{
	if (strcmp(name, "pid") == 0)
		*value = getpid();
	else if (strcmp(name, "ppid") == 0)
		*value = getppid();
	else if (strcmp(name, "pgid") == 0)
		*value = getpgrp();
	else if (strcmp(name, "sid") == 0)
		*value = getsid(0);
	else if (strcmp(name, "uid") == 0)
		*value = getuid();
	else if (strcmp(name, "euid") == 0)
		*value = geteuid();
	else if (strcmp(name, "gid") == 0)
		*value = getgid();
	else if (strcmp(name, "egid") == 0)
		*value = getegid();
	else
		return false;
	return true;
}

static bool variable_value(struct dlang *d, const struct macro *m, int64_t *value)
{
	const char *name = arena_strndup(&d->arena, m->name, m->len);

	return own_value(name, value) ||
	       (d->env.macro && d->env.macro(d->env.ctx, name, value));
}

/* What defaultargs has for the operand $N, N from 1; NULL without the option. */
static const char *default_argument(struct lexer *lx, uint64_t n)
{
	const char *s = lx->d->options.defaultargs;

	if (!s)
		return NULL;
	for (; n > 1 && *s; n--) {
		s += strcspn(s, ",");
		s += *s == ',';
	}
	return arena_strndup(&lx->d->arena, s, strcspn(s, ","));
}

/* The operand $N, NULL if there is none. Remembers that the last one is used. */
static const char *argument(struct lexer *lx, struct macro *m)
{
	const struct dlang_options *o = &lx->d->options;
	uint64_t n;

	if (fmt_parse_u64(m->name, m->len, 10, &n))
		return NULL;
	m->is_default = n > (uint64_t)o->argc;
	if (m->is_default)
		return default_argument(lx, n);
	if (n == 0)
		return lx->d->src->arg0 ? lx->d->src->arg0 : "";
	if (n == (uint64_t)o->argc)
		lx->last_arg_used = true;
	return o->argv[n - 1];
}

/* ---- tokens ---- */

static void make_int(struct tok *t, int64_t value)
{
	t->kind = TOK_INT;
	t->int_decimal = true;
	t->negative = value < 0;
	t->value = value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static void make_string(struct lexer *lx, struct tok *t, const char *s, size_t n)
{
	char *text = arena_alloc(&lx->d->arena, n + 1);

	t->kind = TOK_STRING;
	t->len = lex_unescape(s, n, text);
	t->text = text;
}

/* The string of an operand, without its double quotes. */
static void make_unquoted(struct lexer *lx, struct tok *t, const char *s)
{
	size_t n = strlen(s);

	if (n >= 2 && s[0] == '"' && s[n - 1] == '"')
		make_string(lx, t, s + 1, n - 2);
	else
		make_string(lx, t, s, n);
}

/* Makes t an integer if all of s is one, with an optional sign; else returns false. */
static bool make_number(struct lexer *lx, struct tok *t, const char *s)
{
	bool negative = s[0] == '-', overflow;
	size_t sign = negative || s[0] == '+', n = strlen(s + sign);
	struct tok number = *t;
	long bad;

	if (n == 0 || lex_number(s + sign, n, &number, &bad, &overflow) != n ||
	    bad >= 0)
		return false;
	/* -9223372036854775808 fits although its magnitude does not. */
	if (negative && number.value == (uint64_t)INT64_MAX + 1 && number.int_decimal &&
	    !number.int_unsigned)
		overflow = false;
	*t = number;
	t->negative = negative;
	if (overflow) {
		make_int(t, 0);
		lex_error(
			lx, &t->pos, "D_MACRO_OFLOW",
			"macro argument $%.*s constant %s results in integer overflow",
			(int)(lx->p - t->start) - 1, t->start + 1, s);
	}
	return true;
}

static void argument_token(struct lexer *lx, struct tok *t, struct macro *m)
{
	const char *s = argument(lx, m);
	size_t n;

	if (!s) {
		t->kind = TOK_ERROR;
		lex_error(lx, &t->pos, "D_MACRO_UNDEF",
			  "macro argument %s%.*s is not defined",
			  m->is_text ? "$$" : "$", (int)m->len, m->name);
		return;
	}
	n = lex_ident_length(s);
	if (m->is_text)
		make_string(lx, t, s, strlen(s));
	else if (m->is_default && s[0] == '\0')
		make_int(t, 0);
	else if (n > 0 && s[n] == '\0')
		lex_word(lx, t, s, n);
	else if (!make_number(lx, t, s))
		make_unquoted(lx, t, s);
}

/* bpftrace, perl and the shell write variables with $. */
static void hint_macro(struct lexer *lx, const struct macro *m)
{
	const char *next = m->name + m->len + strspn(m->name + m->len, " \t");
	bool is_assigned = next[0] == '=' && next[1] != '=';
	char name[16] = "";
	struct near n;

	if (m->len < sizeof(name))
		memcpy(name, m->name, m->len);
	near_begin_strict(&n, name, 1);
	near_offer(&n, "target");
	if (near_first(&n))
		diag_hint(lx->d, "did you mean '$target'?");
	else if (is_assigned)
		diag_hint(
			lx->d,
			"a variable has no $: this->%.*s in a clause, self->%.*s in a "
			"thread, %.*s for all",
			(int)m->len, m->name, (int)m->len, m->name, (int)m->len,
			m->name);
}

static void variable_token(struct lexer *lx, struct tok *t, const struct macro *m)
{
	int64_t value;
	char digits[FMT_MAX];

	if (!variable_value(lx->d, m, &value)) {
		t->kind = TOK_ERROR;
		hint_macro(lx, m);
		lex_error(lx, &t->pos, "D_MACRO_UNDEF",
			  "macro variable %s%.*s is not defined",
			  m->is_text ? "$$" : "$", (int)m->len, m->name);
		lx->d->diag.hint = NULL; /* the error may not have been shown */
	} else if (m->is_text) {
		make_string(lx, t, digits, fmt_i64(digits, value));
	} else {
		make_int(t, value);
	}
}

void macro_token(struct lexer *lx, struct tok *t)
{
	struct macro m = {.is_text = lx->p[1] == '$'};

	m.name = lx->p + (m.is_text ? 2 : 1);
	m.len = macro_length(m.name);
	lx->p = m.name + m.len;
	if (m.len == 0) {
		t->kind = TOK_ERROR;
		lex_error(lx, &t->pos, "D_SYNTAX", "syntax error near \"%s\"",
			  m.is_text ? "$$" : "$");
	} else if (is_number(&m)) {
		argument_token(lx, t, &m);
	} else {
		variable_token(lx, t, &m);
	}
}

const char *macro_text(struct lexer *lx, const char *name, size_t n)
{
	struct macro m = {.name = name, .len = n};
	char digits[FMT_MAX];
	int64_t value;

	if (is_number(&m))
		return argument(lx, &m);
	if (!variable_value(lx->d, &m, &value))
		return NULL;
	return arena_strndup(&lx->d->arena, digits, fmt_i64(digits, value));
}

/* As in DTrace, only the last operand is checked. */
int macro_check_used(struct lexer *lx)
{
	const struct dlang_options *o = &lx->d->options;
	struct ast_pos pos = lex_pos(lx, lx->p);

	if (o->argc == 0 || o->argref || lx->last_arg_used)
		return 0;
	return diag(lx->d, lx->d->src->is_file ? &pos : NULL, "D_MACRO_UNUSED",
		    "extraneous argument '%s' ($%d is not referenced)",
		    o->argv[o->argc - 1], o->argc);
}
