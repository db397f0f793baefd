/* SPDX-License-Identifier: MIT */
/*
 * The errors of the compiler that DTrace users compare byte for byte: which error of a
 * program comes first, and its whole text. Each program must give one error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "dlang/dlang.h"

static int option(void *ctx, const char *name, const char *value, struct err *e)
{
	(void)ctx;
	(void)name;
	(void)value;
	(void)e;
	return 0;
}

/* The messages of a program. It has one operand, too large for a number. */
static void compile(const char *text, struct strbuf *messages)
{
	static char *operands[] = {"99999999999999999999", NULL};
	const struct dlang_env env = {.option = option};
	const struct dlang_source src = {.text = text, .name = "x.d", .is_file = true};
	struct dlang *d = dlang_new(&env);
	struct dlang_program program;

	dlang_options(d)->errtags = true;
	dlang_options(d)->argc = strstr(text, "$1") ? 1 : 0;
	dlang_options(d)->argv = operands;
	strbuf_reset(messages);
	dlang_compile(d, &src, &program, messages);
	dlang_free(d);
}

struct row {
	const char *text; /* a whole program */
	const char *tag;
	const char *message; /* all of it, but for the source line */
};

/* Whether the message ends where the source line follows. */
static bool ends_here(const char *end)
{
	return *end == '\0' || strncmp(end, "\n    ", 5) == 0;
}

static void check_row(const struct row *r, const struct strbuf *messages)
{
	char start[600];
	const char *first = messages->len ? messages->data : "";
	size_t n;

	n = (size_t)snprintf(start, sizeof(start),
			     "failed to compile script x.d: [%s] line 1: %s", r->tag,
			     r->message);
	if (strncmp(first, start, n) != 0 || !ends_here(first + n))
		fail_msg("%s: expected %s\ngot %s", r->text, start, first);
	if (strlen(first) != messages->len)
		fail_msg("%s: more than one message: %s", r->text,
			 first + strlen(first) + 1);
}

static void check_rows(const struct row *rows, size_t n)
{
	struct strbuf messages = {0};

	for (size_t i = 0; i < n; i++) {
		compile(rows[i].text, &messages);
		check_row(&rows[i], &messages);
	}
	strbuf_release(&messages);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

static void test_declarations(void **state)
{
	static const struct row rows[] = {
		{"int v[];", "D_DECL_ARRNULL",
		 "array declaration requires array dimension or tuple signature: v"},
		{"int v[0];", "D_DECL_ARRSUB",
		 "positive integral constant expression or tuple signature expected as "
		 "array declaration subscript"},
		{"auto int x;", "D_DECL_BADCLASS",
		 "specified storage class not appropriate in D"},
		{"inline self int x = 1;", "D_DECL_BADCLASS",
		 "specified storage class not appropriate in D"},
		{"struct s { char bits : 9; };", "D_DECL_BFSIZE",
		 "bit-field too big for type: bits"},
		{"struct s { float bits : 2; };", "D_DECL_BFTYPE",
		 "invalid type for bit-field: bits"},
		{"int float x;", "D_DECL_COMBO", "invalid type combination"},
		{"short short x;", "D_DECL_COMBO", "invalid type combination"},
		{"int RED; enum e { RED };", "D_DECL_IDRED",
		 "identifier redeclared: RED"},
		{"typedef int t; typedef char t;", "D_DECL_IDRED",
		 "typedef redeclared: t"},
		{"inline int x = 1; inline int x = 2;", "D_DECL_IDRED",
		 "identifier redefined: x\n\t current: inline definition\n"
		 "\tprevious: scalar inline"},
		{"struct no v;", "D_DECL_INCOMPLETE",
		 "incomplete struct/union/enum struct no: v"},
		{"union no v[2];", "D_DECL_INCOMPLETE",
		 "incomplete struct/union/enum union no: v"},
		{"struct s { struct no m; };", "D_DECL_INCOMPLETE",
		 "incomplete struct/union/enum struct no: m"},
		{"long string x;", "D_DECL_LONGINT",
		 "invalid type declaration: long and long long may only be used with "
		 "integer or floating-point type"},
		{"extern int f(static int);", "D_DECL_PARMCLASS",
		 "inappropriate storage class for function or associative array "
		 "parameter"},
		{"int a[self int];", "D_DECL_PARMCLASS",
		 "inappropriate storage class for function or associative array "
		 "parameter"},
		{"int a[void];", "D_DECL_PROTO_TYPE",
		 "array prototype may not use parameter of type void: (anonymous), "
		 "parameter #1"},
		{"extern int f(int, int k[string]);", "D_DECL_PROTO_TYPE",
		 "function prototype may not use parameter of type dynamic variable: "
		 "k, parameter #2"},
		{"extern int f(int, void);", "D_DECL_PROTO_VOID",
		 "void must be sole parameter"},
		{"int a`b;", "D_DECL_SCOPE",
		 "D scoping operator may not be used in a declaration name (a`b)"},
		{"enum e { a`b };", "D_DECL_SCOPE",
		 "D scoping operator may not be used in a declaration name (a`b)"},
		{"struct s { int a; }; struct s { int b; };", "D_DECL_TYPERED",
		 "type redeclared: struct s"},
		{"struct s { void m; };", "D_DECL_VOIDOBJ",
		 "cannot have void member: m"},
		{"struct s { int x; int x; };", "D_UNKNOWN",
		 "failed to define member 'x': Duplicate member or variable name"},
		{"enum e { x, x };", "D_UNKNOWN",
		 "failed to define enumerator 'x': Duplicate member or variable name"},
		{"translator int < int *p > { m = 1; };", "D_XLATE_SOU",
		 "translator output type must be a struct or union"},
		{"translator struct no < int *p > { m = 1; };", "D_XLATE_SOU",
		 "incomplete struct/union/enum struct no"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_expressions(void **state)
{
	static const struct row rows[] = {
		{"int v[3]; BEGIN { v[1, 2] = 0; }", "D_ARR_BADREF",
		 "cannot access scalar v as an associative array"},
		{"int v[3]; BEGIN { v[3] = 0; }", "D_ARR_BOUNDS",
		 "index outside array bounds: 3, max is 3"},
		{"struct s { int a; }; BEGIN { trace(offsetof(struct s, b)); }",
		 "D_UNKNOWN", "failed to determine offset of b: Member name not found"},
		{"BEGIN { trace(offsetof(int, b)); }", "D_OFFSETOF_TYPE",
		 "offsetof operand must be a struct or union type"},
		{"BEGIN { trace(18446744073709551616); }", "D_INT_OFLOW",
		 "constant 18446744073709551616 results in integer overflow"},
		{"BEGIN { trace($1); }", "D_MACRO_OFLOW",
		 "macro argument $1 constant 99999999999999999999 results in integer "
		 "overflow"},
		{"BEGIN { x = \"a\"; x++; }", "D_OP_SCALAR",
		 "operator ++ requires operand of scalar type"},
		{"BEGIN { x = \"a\"; --x; }", "D_OP_SCALAR",
		 "operator -- requires operand of scalar type"},
		{"BEGIN { trace(((int *)arg0)->m); }", "D_OP_SOU",
		 "operator -> cannot be applied to pointer to type \"int\"; must be "
		 "applied to a struct or union pointer"},
		{"BEGIN { trace(pid.m); }", "D_OP_SOU",
		 "operator . cannot be applied to type \"pid_t\"; must be applied to a "
		 "struct or union"},
		{"struct s { int m; }; translator struct s < int i > { m = i; }; "
		 "BEGIN { trace((int)xlate < struct s * > (1)); }",
		 "D_CAST_INVAL",
		 "invalid cast expression: \"pointer to translated data\" to \"int\""},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_pragmas(void **state)
{
	static const struct row rows[] = {
		{"#pragma D attributes Good/Stable/Common x\nint x;", "D_PRAGMA_INVAL",
		 "invalid attributes specified by #pragma attributes"},
		{"#pragma D attributes\nint x;", "D_PRAGMA_MALFORM",
		 "malformed #pragma attributes <attributes> <ident>"},
		{"#pragma D attributes Stable/Stable/Common y\nint x;",
		 "D_PRAGMA_UNUSED", "unused #pragma attributes"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_formats(void **state)
{
	static const struct row rows[] = {
		{"BEGIN { @p[1] = count(); @q = count(); printa(@p, @q); }",
		 "D_PRINTA_AGGKEY",
		 "printa( ): @p and @q do not have matching key signatures: @p has 1 "
		 "key, @q has 0 keys"},
		{"BEGIN { @p[1] = count(); @q[\"x\"] = count(); printa(@p, @q); }",
		 "D_PRINTA_AGGPROTO",
		 "printa( ): @q[ ] key #1 is incompatible with @p:\n"
		 "        p key #1: int\n        q key #1: string"},
		{"BEGIN { printa(\"x\"); }", "D_PRINTA_PROTO",
		 "printa( ) prototype mismatch: 1 args passed, 2 expected"},
		{"BEGIN { @a = count(); printf(\"%d\", @a); }", "D_PRINTF_ARG_TYPE",
		 "printf( ) argument #2 is incompatible with conversion #1 prototype:\n"
		 "\tconversion: %d\n\t prototype: char, short, int, long, or long "
		 "long\n\t  argument: aggregation"},
		{"BEGIN { @a[1] = count(); printa(\"%s\", @a); }", "D_PRINTF_ARG_TYPE",
		 "printa( ) argument #2 is incompatible with conversion #1 prototype:\n"
		 "\tconversion: %s\n\t prototype: char [] or string (or use stringof)\n"
		 "\t  argument: int"},
		{"BEGIN { printf(\"%*d\"); }", "D_PRINTF_DYN_PROTO",
		 "printf( ) prototype mismatch: conversion #1 (%d) is missing a "
		 "corresponding \"*\" argument"},
		{"BEGIN { printf(\"%.*d\"); }", "D_PRINTF_DYN_PROTO",
		 "printf( ) prototype mismatch: conversion #1 (%d) is missing a "
		 "corresponding \".*\" argument"},
		{"BEGIN { printf(\"%*d\", \"a\", 1); }", "D_PRINTF_DYN_TYPE",
		 "printf( ) argument #2 is incompatible with conversion #1 prototype:\n"
		 "\tconversion: % * d\n\t prototype: int\n\t  argument: string"},
		{"BEGIN { printf(\"%.*d\", \"a\", 1); }", "D_PRINTF_DYN_TYPE",
		 "printf( ) argument #2 is incompatible with conversion #1 prototype:\n"
		 "\tconversion: % .* d\n\t prototype: int\n\t  argument: string"},
		{"BEGIN { ustack(3, 0); }", "D_USTACK_STRSIZE",
		 "ustack( ) argument #2 must be a positive integer constant"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

/* The order of the actions of one clause. */
static void test_actions(void **state)
{
	static const struct row rows[] = {
		{"BEGIN { s = speculation(); speculate(s); stop(); }", "D_ACT_SPEC",
		 "destructive actions may not follow speculate( )"},
		{"BEGIN { s = speculation(); speculate(s); @a = count(); }",
		 "D_AGG_SPEC", "aggregating actions may not follow speculate( )"},
		{"BEGIN { s = speculation(); commit(s); @a = count(); }", "D_AGG_COMM",
		 "aggregating actions may not follow commit( )"},
		{"BEGIN { s = speculation(); commit(s); trace(1); }", "D_DREC_COMM",
		 "data-recording actions may not follow commit( )"},
		{"BEGIN { s = speculation(); commit(s); exit(0); }", "D_DREC_COMM",
		 "data-recording actions may not follow commit( )"},
		{"BEGIN { s = speculation(); trace(1); commit(s); }", "D_COMM_DREC",
		 "commit( ) may not follow data-recording action(s)"},
		{"BEGIN { s = speculation(); commit(s); commit(s); }", "D_COMM_COMM",
		 "commit( ) may not follow commit( )"},
		{"BEGIN { s = speculation(); commit(s); speculate(s); }", "D_SPEC_COMM",
		 "speculate( ) may not follow commit( )"},
		{"BEGIN { s = speculation(); speculate(s); speculate(s); }",
		 "D_SPEC_SPEC", "speculate( ) may not follow speculate( )"},
		{"BEGIN { s = speculation(); trace(1); speculate(s); }", "D_SPEC_DREC",
		 "speculate( ) may not follow data-recording action(s)"},
		{"BEGIN { s = speculation(); speculate(s); exit(0); }", "D_EXIT_SPEC",
		 "exit( ) may not follow speculate( )"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

/* Which words declare what. */
static void test_words(void **state)
{
	static const struct row rows[] = {
		{"self n; BEGIN { self->n = \"a\"; }", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"int\" = \"string\""},
		{"this n; BEGIN { this->n = \"a\"; }", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"int\" = \"string\""},
		{"register r;", "D_DECL_BADCLASS",
		 "specified storage class not appropriate in D"},
		{"typedef nosuch other;", "D_SYNTAX", "syntax error near \"other\""},
		{"struct s { nosuch x; };", "D_SYNTAX", "syntax error near \"nosuch\""},
		{"struct a`b { int x; };", "D_SYNTAX", "syntax error near \"{\""},
		{"BEGIN { trace(offsetof(nosuch, m)); }", "D_SYNTAX",
		 "syntax error near \"nosuch\""},
		{"BEGIN { trace(offsetof(struct nosuch, m)); }", "D_OFFSETOF_TYPE",
		 "offsetof operand must be a struct or union type"},
		{"struct s { int m; }; BEGIN { trace(offsetof(struct s, n)); }",
		 "D_UNKNOWN", "failed to determine offset of n: Member name not found"},
		{"BEGIN { trace(`nosuch); }", "D_IDENT_UNDEF",
		 "failed to resolve `nosuch: Unknown symbol name"},
		{"BEGIN { trace(mod`nosuch); }", "D_IDENT_UNDEF",
		 "failed to resolve mod`nosuch: Unknown symbol name"},
		{"BEGIN { trace(sizeof (D`nosuch)); }", "D_IDENT_UNDEF",
		 "failed to resolve D`nosuch: Unknown symbol name"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

/* Structs, parameters and keys. */
static void test_members(void **state)
{
	static const struct row rows[] = {
		{"struct s { float :2; };", "D_DECL_BFTYPE",
		 "invalid type for bit-field: (anon)"},
		{"struct s { int :2; };", "D_DECL_MNAME", "a member must have a name"},
		{"struct { int go(); };", "D_DECL_VOIDOBJ",
		 "cannot have void member: go"},
		{"struct { int x; };", "D_DECL_USELESS", "useless declaration"},
		{"struct s { int x; }; struct s { garbage", "D_DECL_TYPERED",
		 "type redeclared: struct s"},
		{"union s { int x; }; union s { int x; };", "D_DECL_TYPERED",
		 "type redeclared: union s"},
		{"enum e { A }; enum e { 7", "D_DECL_TYPERED",
		 "type redeclared: enum e"},
		{"struct s { int x; }; translator struct s { 1", "D_DECL_TYPERED",
		 "type redeclared: struct s"},
		{"int a[void];", "D_DECL_PROTO_TYPE",
		 "array prototype may not use parameter of type void: (anonymous), "
		 "parameter #1"},
		{"int a[int, void];", "D_DECL_PROTO_TYPE",
		 "array prototype may not use parameter of type void: (anonymous), "
		 "parameter #2"},
		{"int f(int, void);", "D_DECL_PROTO_VOID",
		 "void must be sole parameter"},
		{"int f(int k[string]);", "D_DECL_PROTO_TYPE",
		 "function prototype may not use parameter of type dynamic variable: "
		 "k, "
		 "parameter #1"},
		{"int v[];", "D_DECL_ARRNULL",
		 "array declaration requires array dimension or tuple signature: v"},
		{"extern void v[];", "D_DECL_VOIDOBJ", "cannot declare array of void"},
		{"BEGIN { trace(curpsinfo->pr_size); }", "D_XLATE_NOCONV",
		 "translator does not define conversion for member: pr_size"},
		{"BEGIN { trace(curpsinfo->pr_rssize); }", "D_XLATE_NOCONV",
		 "translator does not define conversion for member: pr_rssize"},
		{"BEGIN { trace(curlwpsinfo->pr_cpu); }", "D_XLATE_NOCONV",
		 "translator does not define conversion for member: pr_cpu"},
		{"BEGIN { trace(curlwpsinfo->pr_nice); }", "D_XLATE_NOCONV",
		 "translator does not define conversion for member: pr_nice"},
		{"BEGIN { trace(curlwpsinfo->pr_oldpri); }", "D_XLATE_NOCONV",
		 "translator does not define conversion for member: pr_oldpri"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_declarations), cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_pragmas),	     cmocka_unit_test(test_formats),
		cmocka_unit_test(test_actions),	     cmocka_unit_test(test_words),
		cmocka_unit_test(test_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
