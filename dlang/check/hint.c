/* SPDX-License-Identifier: MIT */
/*
 * Hints after errors that newcomers make: a word of another tool, a mistyped name, the
 * name of a parameter, an address where a string is wanted. Each function prepares the
 * hint of the error that is reported next; without one it does nothing.
 */
#include "dlang/check/internal.h"
#include "dlang/typesrc.h"
#include "vm/base/host/near.h"

#include <string.h>

static const struct {
	const char *name, *hint;
} foreign[] = {
#define FOREIGN(name, hint) {#name, hint},
#include "dlang/check/foreign.def"
#undef FOREIGN
};

/* Names that a program may write as variables, and as functions. */
static const char *const variables[] = {
#define BUILTIN(name, ...) #name,
#include "vm/builtin.def"
#undef BUILTIN
	"curpsinfo", "curlwpsinfo", "curthread", "curcpu", "fds", "args",
};

static const char *const functions[] = {
#define SUBR(name, ...)	   #name,
#define ACTION(name, ...)  #name,
#define AGGFUNC(name, ...) #name,
#define KERNEL(name, ...)
#include "dlang/check/action.def"
#include "vm/subr.def"
#undef SUBR
#undef ACTION
#undef AGGFUNC
#undef KERNEL
};

static bool hint_foreign(struct dlang *d, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
		if (strcmp(foreign[i].name, name) == 0) {
			diag_hint(d, "in D: %s", foreign[i].hint);
			return true;
		}
	}
	return false;
}

static bool hint_parameter(struct dlang *d, const char *name)
{
	const struct typesrc *src = d->env.types;
	uint32_t n;

	if (!src || !src->parameter || !src->parameter(src->ctx, name, &n))
		return false;
	diag_hint(d, "parameter '%s' of the probed function is args[%u]", name, n);
	return true;
}

static void hint_near(struct dlang *d, const struct near *n, const char *name,
		      const char *suffix)
{
	const char *meant = near_first(n);

	if (meant && strcmp(meant, name) == 0)
		diag_hint(d,
			  "'%s%s' is in a later version of D than -x version asks for",
			  name, suffix);
	else if (meant)
		diag_hint(d, "did you mean '%s%s'?", meant, suffix);
}

void hint_variable(struct dlang *d, const char *name)
{
	const struct scope *s = scope_of(d);
	struct near n;

	if (hint_parameter(d, name) || hint_foreign(d, name))
		return;
	near_begin_strict(&n, name, 1);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		near_offer(&n, variables[i]);
	for (size_t i = 0; i < s->vars.len; i++)
		if (s->vars.data[i]->scope == SCOPE_GLOBAL)
			near_offer(&n, s->vars.data[i]->name);
	hint_near(d, &n, name, "");
}

void hint_function(struct dlang *d, const char *name)
{
	struct near n;

	if (hint_foreign(d, name))
		return;
	near_begin_strict(&n, name, 1);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		near_offer(&n, functions[i]);
	hint_near(d, &n, name, "()");
}

void hint_reference(struct dlang *d, const struct ident *id)
{
	if (ident_is_func(id) && hint_foreign(d, id->name))
		return;
	if (ident_is_func(id))
		diag_hint(d, "a function is called with parentheses: %s()", id->name);
	else if (id->kind == IDENT_ARGS)
		diag_hint(d, "an argument has a number: args[0]");
}

void hint_called(struct dlang *d, const struct ident *id)
{
	if (id->kind == IDENT_BUILTIN)
		diag_hint(d, "%s is a variable: write it without parentheses",
			  id->name);
}

void hint_aggregation(struct dlang *d, const char *name)
{
	bool is_named = strcmp(name, "_") != 0;

	diag_hint(d,
		  "an aggregation begins with a function: @%s = count(), sum(), "
		  "quantize()...",
		  is_named ? name : "");
}

/* %s of what is no string. */
void hint_text(struct dlang *d, const struct ast_expr *e, const struct type *t)
{
	bool is_argument =
		e && e->kind == EXPR_VAR && e->text && strncmp(e->text, "arg", 3) == 0;

	if (type_is_location(t))
		diag_hint(d, "%%k prints a stack");
	else if (is_argument)
		diag_hint(d, "copyinstr(%s) is the string at this address", e->text);
	else if (type_is_pointer(t))
		diag_hint(d, "copyinstr() reads the string at an address");
	else if (type_is_int(t) && !(e && expr_is_const(e)))
		diag_hint(d, "%%d prints an integer");
}
