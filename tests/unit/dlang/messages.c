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

static void check_first(const struct row *r, const struct strbuf *messages)
{
	char start[600];
	const char *first = messages->len ? messages->data : "";
	size_t n;

	n = (size_t)snprintf(start, sizeof(start),
			     "failed to compile script x.d: [%s] line 1: %s", r->tag,
			     r->message);
	if (strncmp(first, start, n) != 0 || !ends_here(first + n))
		fail_msg("%s: expected %s\ngot %s", r->text, start, first);
}

static void check_row(const struct row *r, const struct strbuf *messages)
{
	const char *second;

	check_first(r, messages);
	second = dlang_message(messages, messages->data);
	if (second)
		fail_msg("%s: more than one message: %s", r->text, second);
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

/* What holds a call of an action complains first; D_CG_EXPR is what remains. */
static void test_actions_in_expressions(void **state)
{
	static const struct row rows[] = {
		{"BEGIN { y = 7 + -printf(\"x\"); }", "D_OP_ARITH",
		 "operator - requires an operand of arithmetic type"},
		{"BEGIN { @a = count(); s = stringof(clear(@a)); }", "D_STRINGOF_TYPE",
		 "cannot apply stringof to a value of type void"},
		{"BEGIN { exit(trace(4)); }", "D_PROTO_ARG",
		 "exit( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: int\n\t argument: void"},
		{"BEGIN { x = progenyof(exit(1)); }", "D_PROTO_ARG",
		 "progenyof( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: pid_t\n\t argument: void"},
		{"BEGIN { x = progenyof(exit()); }", "D_PROTO_LEN",
		 "exit( ) prototype mismatch: 0 args passed, 1 expected"},
		{"BEGIN { printf(\"%x\", trace(4)); }", "D_PRINTF_ARG_TYPE",
		 "printf( ) argument #2 is incompatible with conversion #1 prototype:\n"
		 "\tconversion: %x\n\t prototype: char, short, int, long, or long "
		 "long\n\t  argument: void"},
		{"BEGIN { trace(stop()); }", "D_TRACE_VOID",
		 "trace( ) may not be applied to a void expression"},
		{"BEGIN { print(stop()); }", "D_PRINT_VOID",
		 "print( ) may not be applied to a void expression"},
		{"BEGIN { @[stop()] = count(); }", "D_KEY_TYPE",
		 "void expression may not be used as aggregation index: key #1"},
		{"BEGIN { t[stop()] = 1; }", "D_KEY_TYPE",
		 "void expression may not be used as associative array index: key #1"},
		{"BEGIN { z -= exit(0); }", "D_VAR_UNDEF",
		 "z has not yet been declared or assigned"},
		{"BEGIN { q = pid ? stop() : exit(); }", "D_PROTO_LEN",
		 "exit( ) prototype mismatch: 0 args passed, 1 expected"},
		{"BEGIN { q = pid ? stop() : exit(1); }", "D_OP_ACT",
		 "action cannot be used in a conditional context"},
		{"BEGIN { x = stop(); }", "D_CG_EXPR",
		 "tracing function stop( ) may not be called from a D expression (D "
		 "program context required)"},
		{"BEGIN { x = 1; x = stop(); }", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"int\" = \"void\""},
		{"BEGIN { (void)stop(); }", "D_CG_EXPR",
		 "tracing function stop( ) may not be called from a D expression (D "
		 "program context required)"},
		{"BEGIN { x = count(); }", "D_CG_EXPR",
		 "aggregating function count( ) may not be called from a D expression "
		 "(D program context required)"},
		{"BEGIN { count(); }", "D_CG_EXPR",
		 "aggregating function count( ) may not be called from a D expression "
		 "(D program context required)"},
		{"BEGIN { x = ustack(); }", "D_CG_EXPR",
		 "tracing function ustack( ) may not be called from a D expression (D "
		 "program context required)"},
		{"BEGIN { x = ustack() + 1; }", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"stack\" + \"int\""},
		{"BEGIN /stop()/ { }", "D_PRED_SCALAR",
		 "predicate result must be of scalar type"},
		{"BEGIN { x = (@a = count()); }", "D_CG_EXPR",
		 "aggregation @a may not be assigned in a D expression (D program "
		 "context required)"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

/* Each program has several errors; the one that is found first is the only one. */
static void test_order(void **state)
{
	static const struct row rows[] = {
		{"BEGIN { clear(max(3)); }", "D_CLEAR_AGGARG",
		 "clear( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: aggregation\n\t argument: void"},
		{"BEGIN { normalize(sum(1), 2); }", "D_NORMALIZE_AGGARG",
		 "normalize( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: aggregation\n\t argument: void"},
		{"struct s { int bits : 3; }; struct s s; "
		 "BEGIN { printf(\"%y\", sizeof(s.bits)); }",
		 "D_SIZEOF_BITFIELD", "cannot apply sizeof to a bit-field: bits"},
		{"BEGIN { tracemem(10, \"six\"); }", "D_PROTO_ARG",
		 "tracemem( ) argument #2 is incompatible with prototype:\n"
		 "\tprototype: size_t\n\t argument: string"},
		{"BEGIN { @ = lquantize(\"a\", \"b\", \"c\"); }", "D_PROTO_ARG",
		 "lquantize( ) argument #2 is incompatible with prototype:\n"
		 "\tprototype: int32_t\n\t argument: string"},
		{"BEGIN { @never; }", "D_AGG_NULL",
		 "expression has null effect: @never"},
		{"BEGIN { trace(@never * 2); }", "D_IDENT_UNDEF",
		 "failed to resolve @never: Unknown variable name"},
		{"BEGIN { trace(@never); }", "D_IDENT_UNDEF",
		 "failed to resolve @never: Unknown variable name"},
		{"BEGIN { printa(@never); }", "D_PRINTA_AGGBAD",
		 "undefined aggregation: @never"},
		{"BEGIN { @a = count(); @a; }", "D_AGG_NULL",
		 "expression has null effect: @a"},
		{"BEGIN { @ = 5(); }", "D_FUNC_IDENT",
		 "function designator is not of function type"},
		{"BEGIN { @h[1][2] = pid-7(); }", "D_FUNC_IDENT",
		 "function designator is not of function type"},
		{"BEGIN { x = nosuch; self->f(); }", "D_FUNC_IDENT",
		 "function designator is not of function type"},
		{"BEGIN { @v = chill(1); }", "D_AGG_FUNC",
		 "@v must be assigned the result of an aggregating function"},
		{"BEGIN { @v = breakpoint(); }", "D_AGG_FUNC",
		 "@v must be assigned the result of an aggregating function"},
		{"BEGIN { panic(3); }", "D_PROTO_LEN",
		 "panic( ) prototype mismatch: 1 arg passed, 0 expected"},
		{"BEGIN { breakpoint(1); }", "D_PROTO_LEN",
		 "breakpoint( ) prototype mismatch: 1 arg passed, 0 expected"},
		{"BEGIN { s = speculation(); speculate(s); panic(); }", "D_ACT_SPEC",
		 "destructive actions may not follow speculate( )"},
		{"BEGIN { x = stop(); s = speculation(); speculate(s); stop(); }",
		 "D_ACT_SPEC", "destructive actions may not follow speculate( )"},
		{"BEGIN { panic(); } BEGIN { nosuch; }", "D_IDENT_UNDEF",
		 "failed to resolve nosuch: Unknown variable name"},
		{"BEGIN { panic(); } BEGIN { trace(@never); }", "D_IDENT_UNDEF",
		 "failed to resolve @never: Unknown variable name"},
		{"BEGIN { x = nosuch; y = ; }", "D_SYNTAX", "syntax error near \";\""},
	};

	(void)state;
	CHECK_ROWS(rows);
}

/* Types come before the rules of an action, in whatever order the statements are. */
static void test_first_of_several(void **state)
{
	static const struct row row = {
		"BEGIN { trunc(5); printf(\"%y\"); x = nosuch; }", "D_IDENT_UNDEF",
		"failed to resolve nosuch: Unknown variable name"};
	struct strbuf messages = {0};
	const char *second;

	(void)state;
	compile(row.text, &messages);
	check_first(&row, &messages);
	second = dlang_message(&messages, messages.data);
	assert_non_null(strstr(second, "[D_TRUNC_AGGARG]"));
	assert_non_null(strstr(dlang_message(&messages, second), "[D_SYNTAX]"));
	strbuf_release(&messages);
}

/* Kernel names are known: only a call that is right is refused. */
static void test_kernel_names(void **state)
{
	static const struct row rows[] = {
		{"BEGIN { mutex_owned(); }", "D_PROTO_LEN",
		 "mutex_owned( ) prototype mismatch: 0 args passed, 1 expected"},
		{"BEGIN { mutex_owned(\"k\"); }", "D_PROTO_ARG",
		 "mutex_owned( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: kmutex_t *\n\t argument: string"},
		{"BEGIN { mutex_owner(stop()); }", "D_PROTO_ARG",
		 "mutex_owner( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: kmutex_t *\n\t argument: void"},
		{"BEGIN { mutex_type_spin((int *)1); }", "D_PROTO_ARG",
		 "mutex_type_spin( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: kmutex_t *\n\t argument: int *"},
		{"BEGIN { rw_read_held(1, 2); }", "D_PROTO_LEN",
		 "rw_read_held( ) prototype mismatch: 2 args passed, 1 expected"},
		{"BEGIN { getmajor(\"x\"); }", "D_PROTO_ARG",
		 "getmajor( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: dev_t\n\t argument: string"},
		{"BEGIN { trace(ddi_pathname((int *)1, \"x\")); }", "D_PROTO_ARG",
		 "ddi_pathname( ) argument #2 is incompatible with prototype:\n"
		 "\tprototype: int64_t\n\t argument: string"},
		{"BEGIN { pcap(1); }", "D_PROTO_LEN",
		 "pcap( ) prototype mismatch: 1 arg passed, 2 expected"},
		{"BEGIN { x = 1; x = mutex_owned((struct k *)1) * \"a\"; }",
		 "D_OP_ARITH", "operator * requires operands of arithmetic type"},
		{"BEGIN { mutex_nosuch(); }", "D_FUNC_UNDEF",
		 "undefined function name: mutex_nosuch"},
		{"BEGIN { x = vmregs[0] + 1; }", "D_VAR_UNSUP",
		 "vmregs has no meaning in user-mode tracing"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_quantizing(void **state)
{
	static const struct row rows[] = {
		{"BEGIN { @ = lquantize(pid, 9, 2, -1); }", "D_LQUANT_MISMATCH",
		 "lquantize( ) base (argument #2) must be less than limit (argument "
		 "#3)"},
		{"BEGIN { @ = lquantize(pid, 5000000000, pid); }", "D_LQUANT_BASEVAL",
		 "lquantize( ) argument #2 must be a 32-bit quantity"},
		{"BEGIN { @ = lquantize(pid, 0, 5000000000, \"x\"); }",
		 "D_LQUANT_LIMVAL",
		 "lquantize( ) argument #3 must be a 32-bit quantity"},
		{"BEGIN { @ = lquantize(pid, 0, 8, 1); @ = lquantize(pid, 0, 80, 2); }",
		 "D_LQUANT_MATCHLIM",
		 "lquantize( ) limit (argument #3) doesn't match previous declaration: "
		 "expected 8, found 80"},
		{"BEGIN { @ = lquantize(pid, 0, 8, 1); @ = lquantize(pid, 1, 80, 2); }",
		 "D_LQUANT_MATCHBASE",
		 "lquantize( ) base (argument #2) doesn't match previous declaration: "
		 "expected 0, found 1"},
		{"BEGIN { @ = lquantize(pid, 0, 10, 1); @ = lquantize(pid, 0, 10, 3); "
		 "}",
		 "D_LQUANT_MATCHSTEP",
		 "lquantize( ) step (argument #4) doesn't match previous declaration: "
		 "expected 1, found 3"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_compound_assignment(void **state)
{
	static const struct row rows[] = {
		{"int n; BEGIN { n -= alloca(4); }", "D_OP_VFPTR",
		 "operator -= requires left-hand scalar operand of known size"},
		{"BEGIN { p = (void *)1; p += 1; }", "D_OP_VFPTR",
		 "operator += requires left-hand scalar operand of known size"},
		{"BEGIN { p = (int *)1; p += p; }", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"int *\" += \"int *\""},
		{"int n; BEGIN { n += \"a\"; }", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"int\" += \"string\""},
		{"string s; BEGIN { s -= 1; }", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"string\" -= \"int\""},
	};

	(void)state;
	CHECK_ROWS(rows);
}

/* A long text of -n is not repeated before each error, and none hides its reason. */
static void test_long_text(void **state)
{
	const struct dlang_env env = {0};
	struct dlang_source src = {0};
	struct dlang *d = dlang_new(&env);
	struct dlang_program program;
	struct strbuf text = {0}, messages = {0};
	uint32_t n = 0;

	(void)state;
	strbuf_puts(&text, "BEGIN { nosuch; nosuch + 1; nosuch + 2;");
	for (unsigned i = 0; i < 1000; i++)
		strbuf_puts(&text, " trace(1);");
	strbuf_puts(&text, " }");
	src.text = src.name = text.data;
	dlang_compile(d, &src, &program, &messages);
	for (const char *m = dlang_message(&messages, NULL); m;
	     m = dlang_message(&messages, m)) {
		static const char reason[] =
			"invalid probe specifier: in action list: failed to resolve "
			"nosuch: Unknown variable name\n    BEGIN { nosuch; ";

		assert_memory_equal(m, reason, strlen(reason));
		assert_true(strlen(m) < 400);
		n++;
	}
	assert_int_equal(n, 3);
	strbuf_release(&text);
	strbuf_release(&messages);
	dlang_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_declarations),
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_pragmas),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_actions),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_actions_in_expressions),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_first_of_several),
		cmocka_unit_test(test_kernel_names),
		cmocka_unit_test(test_quantizing),
		cmocka_unit_test(test_compound_assignment),
		cmocka_unit_test(test_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
