/* SPDX-License-Identifier: MIT */
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

/* Messages of a program, "" if it compiles. */
static void compile(const char *text, struct strbuf *messages)
{
	const struct dlang_env env = {.option = option};
	const struct dlang_source src = {.text = text, .name = "x.d", .is_file = true};
	struct dlang *d = dlang_new(&env);
	struct dlang_program program;

	dlang_options(d)->errtags = true;
	strbuf_reset(messages);
	strbuf_puts(messages, "");
	dlang_compile(d, &src, &program, messages);
	dlang_free(d);
}

struct refusal {
	const char *text; /* the body of a BEGIN clause, or a whole program */
	const char *tag;
	const char *message;
};

static void check_refusals(const struct refusal *cases, size_t n, const char *before,
			   const char *after)
{
	struct strbuf messages = {0};
	char text[1024], start[64];

	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%s%s%s", before, cases[i].text, after);
		snprintf(start, sizeof(start), "[%s] line 1: ", cases[i].tag);
		compile(text, &messages);
		if (!strstr(messages.data, start))
			fail_msg("%s: no %s in: %s", text, start, messages.data);
		if (!strstr(messages.data, cases[i].message))
			fail_msg("%s: no '%s' in: %s", text, cases[i].message,
				 messages.data);
	}
	strbuf_release(&messages);
}

static void test_expressions(void **state)
{
	static const struct refusal cases[] = {
		{"x;", "D_IDENT_UNDEF", "failed to resolve x: Unknown variable name"},
		{"self->x;", "D_VAR_UNDEF",
		 "self->x has not yet been declared or assigned"},
		{"trace(this->x);", "D_VAR_UNDEF",
		 "this->x has not yet been declared or assigned"},
		{"trace(lib`x);", "D_IDENT_UNDEF",
		 "failed to resolve lib`x: Unknown symbol name"},
		{"trace(\"a\" + \"b\");", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"string\" + \"string\""},
		{"trace(\"a\" * 2);", "D_OP_ARITH",
		 "operator * requires operands of arithmetic type"},
		{"trace(\"a\" & 2);", "D_OP_INT",
		 "operator & requires operands of integral type"},
		{"trace(1 % \"a\");", "D_OP_INT",
		 "operator % requires operands of integral type"},
		{"trace((int *)1 << 2);", "D_OP_INT",
		 "operator << requires operands of integral type"},
		{"trace(\"a\" && 1);", "D_OP_SCALAR",
		 "operator && requires operands of scalar type"},
		{"trace(!\"a\");", "D_OP_SCALAR",
		 "operator ! requires an operand of scalar"},
		{"trace(~\"a\");", "D_OP_INT",
		 "operator ~ requires an operand of integral"},
		{"trace(-\"a\");", "D_OP_ARITH",
		 "operator - requires an operand of arithmetic"},
		{"trace(\"a\" ? 1 : 2);", "D_OP_SCALAR",
		 "operator ?: expression must be of scalar type"},
		{"trace(arg0 ? 1 : \"a\");", "D_OP_INCOMPAT",
		 "operator ?: operands must have compatible types"},
		{"arg0 ? trace(1) : trace(2);", "D_OP_ACT",
		 "action cannot be used in a conditional context"},
		{"trace(\"a\" == 1);", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"string\" == \"int\""},
		{"trace((char *)1 == (int *)1);", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"char *\" == \"int *\""},
		{"trace((userland int *)arg0 == (int *)arg0);", "D_OP_INCOMPAT",
		 "\"userland int *\" == \"int *\""},
		{"trace(1 / 0);", "D_DIV_ZERO", "expression contains division by zero"},
		{"trace(arg0 % 0);", "D_DIV_ZERO",
		 "expression contains division by zero"},
		{"x /= 0;", "D_DIV_ZERO", "expression contains division by zero"},
		{"x %= 1 - 1;", "D_DIV_ZERO", "expression contains division by zero"},
		{"trace(*arg0);", "D_DEREF_NONPTR",
		 "cannot dereference non-pointer type"},
		{"trace(*(void *)arg0);", "D_DEREF_VOID",
		 "cannot dereference pointer to void"},
		{"trace(*(int (*)())arg0);", "D_DEREF_FUNC",
		 "cannot dereference pointer to function"},
		{"trace(((void *)arg0)[1]);", "D_DEREF_VOID",
		 "cannot dereference pointer to void"},
		{"x = 1; trace(&x);", "D_ADDROF_VAR",
		 "cannot take address of dynamic variable"},
		{"a[1] = 1; trace(&a[1]);", "D_ADDROF_VAR",
		 "cannot take address of dynamic variable"},
		{"trace(&1);", "D_ADDROF_LVAL",
		 "unacceptable operand for unary & operator"},
		{"trace((int *)\"a\" + \"b\");", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"int *\" + \"string\""},
		{"trace((void *)arg0 + 1);", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"void *\" + \"int\""},
		{"x = (void *)arg0; x++;", "D_OP_VFPTR",
		 "operator ++ requires an operand of known size"},
		{"x = (void *)arg0; x += 1;", "D_OP_VFPTR",
		 "operator += requires left-hand scalar operand of known size"},
		{"x = \"a\"; x++;", "D_OP_SCALAR",
		 "operator ++ requires operand of scalar type"},
		{"x = \"a\"; x += 1;", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"string\" += \"int\""},
		{"x = 1; x = \"a\";", "D_OP_INCOMPAT",
		 "operands have incompatible types: \"int\" = \"string\""},
		{"x = 1; x = (int *)arg0;", "D_OP_INCOMPAT", "\"int\" = \"int *\""},
		{"1 = 2;", "D_OP_LVAL",
		 "operator = requires modifiable lvalue as an operand"},
		{"5++;", "D_OP_LVAL",
		 "operator ++ requires modifiable lvalue as an operand"},
		{"arg0 = 2;", "D_OP_WRITE",
		 "operator = can only be applied to a writable variable"},
		{"pid++;", "D_OP_WRITE",
		 "operator ++ can only be applied to a writable variable"},
		{"*(userland int *)arg0 = 1;", "D_OP_WRITE",
		 "operator = can only be applied to a writable variable"},
		{"*(int (*)[3])arg0 = 1;", "D_OP_ARRFUN",
		 "operator = may not be applied to operand of type \"int [3]\""},
		{"trace((int)\"a\");", "D_CAST_INVAL",
		 "invalid cast expression: \"string\" to \"int\""},
		{"trace(sizeof (void));", "D_SIZEOF_TYPE",
		 "cannot apply sizeof to an operand of unknown size"},
		{"@a = count(); trace(stringof(@a));", "D_STRINGOF_TYPE",
		 "cannot apply stringof to a value of type aggregation"},
		{"x = 1; x[1] = 2;", "D_IDENT_BADREF",
		 "scalar 'x' may not be referenced as associative array"},
		{"a[1] = 1; trace(a);", "D_IDENT_BADREF",
		 "associative array 'a' may not be referenced as scalar"},
		{"trace(strlen);", "D_IDENT_BADREF",
		 "function 'strlen' may not be referenced as scalar"},
		{"trace((1 + 2)[1]);", "D_ARR_BADREF",
		 "cannot access int as an associative array"},
		{"this->a[1] = 2;", "D_ARR_LOCAL",
		 "local variables may not be used as associative arrays: a"},
		{"trace(x[1]);", "D_IDENT_UNDEF",
		 "failed to resolve x: Unknown variable name"},
		{"a[1] = 1; a[1, 2] = 1;", "D_PROTO_LEN",
		 "a[ ] prototype mismatch: 2 keys passed, 1 expected"},
		{"a[1, 2] = 1; trace(a[1]);", "D_PROTO_LEN",
		 "a[ ] prototype mismatch: 1 key passed, 2 expected"},
		{"a[1] = 1; a[\"x\"] = 1;", "D_PROTO_ARG",
		 "a[ ] key #1 is incompatible with prototype:\n\tprototype: int\n"
		 "\t      key: string"},
		{"a[strlen(\"a\"), trace(1)] = 1;", "D_KEY_TYPE",
		 "void expression may not be used as associative array index: key #2"},
		{"@a = count(); a[@a] = 1;", "D_KEY_TYPE",
		 "aggregation expression may not be used as associative array index: "
		 "key #1"},
		{"trace(uregs[28]);", "D_REGS_IDX",
		 "index 28 is out of range for array uregs"},
		{"trace(uregs[-1]);", "D_REGS_IDX", "index -1 is out of range"},
		{"trace(curlwpsinfo->pr_name[99]);", "D_ARR_BOUNDS",
		 "index outside array bounds: 99, max is 16"},
		{"trace(*(double *)arg0 + 1);", "D_OP_ARITH",
		 "operator + requires operands of arithmetic type"},
		{"trace(1), trace(2);", "D_OP_ACT",
		 "action cannot be used in a conditional context"},
		{"trace(arg0->x);", "D_OP_PTR",
		 "operator -> must be applied to a pointer"},
		{"trace(((int *)arg0)->x);", "D_OP_SOU",
		 "operator -> cannot be applied to pointer to type \"int\"; must be "
		 "applied to a struct or union pointer"},
		{"trace(arg0.x);", "D_OP_SOU",
		 "operator . cannot be applied to type \"int64_t\""},
		{"if (\"a\") trace(1);", "D_OP_SCALAR", "must be of scalar type"},
		{"trace(99999999999999999999);", "D_INT_OFLOW", ""},
		{"trace(9223372036854775808);", "D_INT_OFLOW", "integer overflow"},
	};

	(void)state;
	check_refusals(cases, sizeof(cases) / sizeof(cases[0]), "BEGIN { ", " }");
}

static void test_functions(void **state)
{
	static const struct refusal cases[] = {
		{"nosuch(1);", "D_FUNC_UNDEF", "undefined function name: nosuch"},
		{"x = 1; x(2);", "D_FUNC_IDKIND",
		 "scalar 'x' may not be referenced as a function"},
		{"pid(2);", "D_FUNC_IDKIND",
		 "scalar 'pid' may not be referenced as a function"},
		{"(1 + 2)(3);", "D_FUNC_IDENT",
		 "function designator is not of function type"},
		{"trace();", "D_PROTO_LEN",
		 "trace( ) prototype mismatch: 0 args passed, 1 expected"},
		{"trace(1, 2);", "D_PROTO_LEN",
		 "trace( ) prototype mismatch: 2 args passed, 1 expected"},
		{"exit();", "D_PROTO_LEN",
		 "exit( ) prototype mismatch: 0 args passed, 1 expected"},
		{"exit(\"a\");", "D_PROTO_ARG",
		 "exit( ) argument #1 is incompatible with prototype:\n\tprototype: "
		 "int\n"
		 "\t argument: string"},
		{"strlen();", "D_PROTO_LEN",
		 "strlen( ) prototype mismatch: 0 args passed, 1 expected"},
		{"strlen(5);", "D_PROTO_ARG",
		 "strlen( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: const char *\n\t argument: int"},
		{"copyin(arg0);", "D_PROTO_LEN",
		 "copyin( ) prototype mismatch: 1 arg passed, 2 expected"},
		{"copyin(arg0, \"a\");", "D_PROTO_ARG", "prototype: size_t"},
		{"copyinstr();", "D_PROTO_LEN",
		 "copyinstr( ) prototype mismatch: 0 args passed, at least 1 expected"},
		{"copyinstr(1, 2, 3);", "D_PROTO_LEN",
		 "copyinstr( ) prototype mismatch: 3 args passed, at most 2 expected"},
		{"x = printf(\"a\");", "D_CG_EXPR", "tracing function printf( )"},
		{"x = count();", "D_CG_EXPR", "aggregating function count( )"},
		{"1 + trace(1);", "D_OP_INCOMPAT", "\"int\" + \"void\""},
	};

	(void)state;
	check_refusals(cases, sizeof(cases) / sizeof(cases[0]), "BEGIN { ", " }");
}

static void test_aggregations(void **state)
{
	static const struct refusal cases[] = {
		{"@a = sum(1); @a = max(2);", "D_AGG_REDEF",
		 "aggregation redefined: @a\n\t current: @a = max( )\n"
		 "\tprevious: @a = sum( ) : line 1"},
		{"@a = count(); @a;", "D_AGG_NULL", "expression has null effect: @a"},
		{"@a[1] = count(); @a[1];", "D_AGG_NULL",
		 "expression has null effect: @a"},
		{"@ = count(); @;", "D_AGG_NULL", "expression has null effect: @_"},
		{"@a;", "D_AGG_NULL", "expression has null effect: @a"},
		{"x = @a;", "D_IDENT_UNDEF", "failed to resolve @a"},
		{"@a = 1;", "D_AGG_FUNC",
		 "@a must be assigned the result of an aggregating function"},
		{"@a = strlen(\"a\");", "D_AGG_FUNC", "@a must be assigned"},
		{"@a = trace(1);", "D_AGG_FUNC", "@a must be assigned"},
		{"@a += count();", "D_AGG_FUNC", "@a must be assigned"},
		{"@a[1][2] = count();", "D_AGG_MDIM",
		 "improper attempt to reference @a as a multi-dimensional array"},
		{"@a[1][2];", "D_AGG_MDIM", "multi-dimensional"},
		{"@a = sum(\"x\");", "D_AGG_SCALAR",
		 "sum( ) argument #1 must be of scalar type"},
		{"@a = sum();", "D_PROTO_LEN",
		 "sum( ) prototype mismatch: 0 args passed, 1 expected"},
		{"@a = count(1);", "D_PROTO_LEN",
		 "count( ) prototype mismatch: 1 arg passed, 0 expected"},
		{"@a = quantize(1, \"x\");", "D_PROTO_ARG", "quantize( ) argument #2"},
		{"@a[1] = count(); @a[1, 2] = count();", "D_PROTO_LEN",
		 "@a[ ] prototype mismatch: 2 keys passed, 1 expected"},
		{"@a = count(); @a[1] = count();", "D_PROTO_LEN",
		 "@a[ ] prototype mismatch: 1 key passed, 0 expected"},
		{"@a[1] = count(); @a[\"x\"] = count();", "D_PROTO_ARG",
		 "@a[ ] key #1 is incompatible with prototype:\n\tprototype: int"},
		{"@b = count(); @a[@b] = count();", "D_KEY_TYPE",
		 "aggregation expression may not be used as aggregation index: key #1"},
		{"@a = count(); x = @a;", "D_OP_DYN", "dynamic type"},
		{"@a = count(); trace(@a + 1);", "D_OP_INCOMPAT",
		 "\"aggregation\" + \"int\""},
		{"@a = count(); trace(@a == 1);", "D_OP_INCOMPAT",
		 "\"aggregation\" == \"int\""},
		{"@a = count(); trace((@a, 1));", "D_OP_DYN",
		 "operator , operands cannot be of dynamic type"},
		{"@a = count(); trace(arg0 ? @a : @a);", "D_OP_DYN",
		 "operator ?: operands cannot be of dynamic type"},
		{"@a = lquantize(1, arg0, 10);", "D_LQUANT_BASETYPE",
		 "lquantize( ) argument #2 must be an integer constant"},
		{"@a = lquantize(1, 0, arg0);", "D_LQUANT_LIMTYPE",
		 "lquantize( ) argument #3 must be an integer constant"},
		{"@a = lquantize(1, 0, 10, arg0);", "D_LQUANT_STEPTYPE",
		 "argument #4 must be a non-zero positive integer"},
		{"@a = lquantize(1, 0, 10, -1);", "D_LQUANT_STEPTYPE", "argument #4"},
		{"@a = lquantize(1, 0, 10, 0);", "D_LQUANT_STEPTYPE", "argument #4"},
		{"@a = lquantize(1, 5000000000, 10);", "D_LQUANT_BASEVAL",
		 "argument #2 must be a 32-bit quantity"},
		{"@a = lquantize(1, 0, 5000000000);", "D_LQUANT_LIMVAL",
		 "argument #3 must be a 32-bit quantity"},
		{"@a = lquantize(1, 0, 1000000, 65536);", "D_LQUANT_STEPVAL",
		 "argument #4 must be a 16-bit quantity"},
		{"@a = lquantize(1, 10, 10);", "D_LQUANT_MISMATCH",
		 "base (argument #2) must be less than limit (argument #3)"},
		{"@a = lquantize(1, 0, 10, 20);", "D_LQUANT_STEPLARGE", "too large"},
		{"@a = lquantize(1, 0, 100000);", "D_LQUANT_STEPSMALL", "too small"},
		{"@a = lquantize(1, 0, 10); @a = lquantize(1, 1, 10);",
		 "D_LQUANT_MATCHBASE", "expected 0, found 1"},
		{"@a = lquantize(1, 0, 10); @a = lquantize(1, 0, 11);",
		 "D_LQUANT_MATCHLIM", "expected 10, found 11"},
		{"@a = lquantize(1, 0, 10); @a = lquantize(1, 0, 10, 2);",
		 "D_LQUANT_MATCHSTEP", "expected 1, found 2"},
		{"@a = lquantize(1, 0, 10, 1, \"x\");", "D_PROTO_ARG",
		 "lquantize( ) argument #5"},
		{"@a = lquantize(1, 0);", "D_PROTO_LEN",
		 "lquantize( ) prototype mismatch: 2 args passed, at least 3 expected"},
	};

	(void)state;
	check_refusals(cases, sizeof(cases) / sizeof(cases[0]), "BEGIN { ", " }");
}

static void test_actions(void **state)
{
	static const struct refusal cases[] = {
		{"trace((void)1);", "D_TRACE_VOID",
		 "trace( ) may not be applied to a void expression"},
		{"@a = count(); trace(@a);", "D_TRACE_AGG",
		 "trace( ) may not be applied to an aggregation"},
		{"printf();", "D_PROTO_LEN",
		 "printf( ) prototype mismatch: 0 args passed, at least 1 expected"},
		{"printf(1);", "D_PRINTF_ARG_FMT",
		 "printf( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: string constant\n\t argument: int"},
		{"printf(\"\");", "D_PRINTF_FMT_EMPTY",
		 "printf( ) format string is empty"},
		{"printf(\"%d\");", "D_PRINTF_ARG_PROTO",
		 "printf( ) prototype mismatch: conversion #1 (%d) is missing a "
		 "corresponding value argument"},
		{"printf(\"a%%%d\", 1, 2);", "D_PRINTF_ARG_EXTRA",
		 "printf( ) prototype mismatch: only 1 arguments required by this "
		 "format string"},
		{"printf(\"%d\", \"a\");", "D_PRINTF_ARG_TYPE",
		 "printf( ) argument #2 is incompatible with conversion #1 prototype:\n"
		 "\tconversion: %d\n\t prototype: char, short, int, long, or long "
		 "long\n"
		 "\t  argument: string"},
		{"printf(\"%d%s\", 1, 2);", "D_PRINTF_ARG_TYPE",
		 "printf( ) argument #3 is incompatible with conversion #2 prototype:\n"
		 "\tconversion: %s\n\t prototype: char [] or string (or use stringof)\n"
		 "\t  argument: int"},
		{"printf(\"%c\", arg0);", "D_PRINTF_ARG_TYPE",
		 "prototype: char, short, or int"},
		{"printf(\"%hd\", 1);", "D_PRINTF_ARG_TYPE", "prototype: short"},
		{"printf(\"%ld\", 1);", "D_PRINTF_ARG_TYPE", "prototype: long\n"},
		{"printf(\"%lld\", 1);", "D_PRINTF_ARG_TYPE", "prototype: long long\n"},
		{"printf(\"%p\", \"a\");", "D_PRINTF_ARG_TYPE",
		 "prototype: pointer or integer"},
		{"printf(\"%Y\", 1);", "D_PRINTF_ARG_TYPE", "prototype: int64_t"},
		{"printf(\"%f\", 1);", "D_PRINTF_ARG_TYPE", "prototype: float"},
		{"printf(\"%k\", 1);", "D_PRINTF_ARG_TYPE", "prototype: stack"},
		{"printf(\"%*d\");", "D_PRINTF_DYN_PROTO",
		 "conversion #1 (%d) is missing a corresponding \"*\" argument"},
		{"printf(\"%.*d\");", "D_PRINTF_DYN_PROTO", "\".*\" argument"},
		{"printf(\"%*d\", \"a\", 1);", "D_PRINTF_DYN_TYPE",
		 "printf( ) argument #2 is incompatible with conversion #1 prototype:\n"
		 "\tconversion: % * d\n\t prototype: int\n\t  argument: string"},
		{"printf(\"%@d\", 1);", "D_PRINTF_AGG_CONV",
		 "%@ conversion requires an aggregation and is not for use with "
		 "printf( )"},
		{"printf(\"%z\", 1);", "D_SYNTAX",
		 "format conversion #1 is undefined: %z"},
		{"printf(\"%hs\", 1);", "D_SYNTAX",
		 "format conversion #1 is undefined: %hs"},
		{"printf(\"%hhd\", 1);", "D_SYNTAX",
		 "format conversion #1 is undefined: %hhd"},
		{"printf(\"%d%\", 1);", "D_SYNTAX",
		 "format conversion #2 name expected before end of format string"},
		{"printf(\"%**d\", 1);", "D_SYNTAX",
		 "format conversion #1 has more than one '*' specified for the output "
		 "width"},
		{"printf(\"%1.2.3d\", 1);", "D_SYNTAX",
		 "format conversion #1 has more than one '.' specified"},
		{"printf(\"%1$d\", 1);", "D_SYNTAX",
		 "format conversion #1 uses unsupported positional format (%n$)"},
		{"printf(\"%-%\");", "D_SYNTAX",
		 "format conversion #1 cannot be combined with other format flags: %%"},
		{"printa();", "D_PROTO_LEN",
		 "printa( ) prototype mismatch: 0 args passed"},
		{"printa(\"a\");", "D_PRINTA_PROTO", "1 args passed, 2 expected"},
		{"printa(1);", "D_PRINTA_AGGARG", "printa( ) argument #1"},
		{"printa(\"a\", 1);", "D_PRINTA_AGGARG",
		 "printa( ) argument #2 is incompatible with prototype:\n"
		 "\tprototype: aggregation\n\t argument: int"},
		{"printa(@a);", "D_PRINTA_AGGBAD", "undefined aggregation: @a"},
		{"@a[1] = count(); printa(@a[1]);", "D_PRINTA_AGGARG", "element of @a"},
		{"@a[1] = count(); @b = count(); printa(@a, @b);", "D_PRINTA_AGGKEY",
		 "@a has 1 key, @b has 0 keys"},
		{"@a[1] = count(); @b[\"x\"] = count(); printa(@a, @b);",
		 "D_PRINTA_AGGPROTO", "@b[ ] key #1 is incompatible with @a"},
		{"@a[1] = count(); printa(\"%d%d\", @a);", "D_PRINTF_ARG_PROTO",
		 "printa( ) prototype mismatch: conversion #2 (%d) is missing"},
		{"@a[1] = count(); printa(\"%s\", @a);", "D_PRINTF_ARG_TYPE",
		 "printa( ) argument #2 is incompatible with conversion #1"},
		{"@a = count(); printa(\"%@s\", @a);", "D_PRINTF_ARG_TYPE",
		 "printa( )"},
		{"clear();", "D_CLEAR_PROTO",
		 "clear( ) prototype mismatch: 0 args passed, 1 expected"},
		{"clear(1);", "D_CLEAR_AGGARG",
		 "clear( ) argument #1 is incompatible with prototype:\n"
		 "\tprototype: aggregation\n\t argument: int"},
		{"clear(@a);", "D_CLEAR_AGGBAD", "undefined aggregation: @a"},
		{"trunc();", "D_TRUNC_PROTO",
		 "trunc( ) prototype mismatch: 0 args passed, at least 1 expected"},
		{"trunc(1);", "D_TRUNC_AGGARG", "trunc( ) argument #1"},
		{"trunc(@a);", "D_TRUNC_AGGBAD", "undefined aggregation: @a"},
		{"@a = count(); trunc(@a, \"x\");", "D_TRUNC_SCALAR",
		 "trunc( ) argument #2 must be of scalar type"},
		{"@a = count(); trunc(@a, 1, 2);", "D_TRUNC_PROTO",
		 "trunc( ) prototype mismatch: 3 args passed, at most 2 expected"},
	};

	(void)state;
	check_refusals(cases, sizeof(cases) / sizeof(cases[0]), "BEGIN { ", " }");
}

static void test_declarations(void **state)
{
	static const struct refusal cases[] = {
		{"short char x;", "D_DECL_CHARATTR", "may not be used with char type"},
		{"unsigned void x;", "D_DECL_VOIDATTR",
		 "may not be used with void type"},
		{"signed string x;", "D_DECL_SIGNINT",
		 "may only be used with integer type"},
		{"long string x;", "D_DECL_LONGINT",
		 "may only be used with integer or floating-point type"},
		{"int x; char x;", "D_DECL_IDRED",
		 "identifier redeclared: x\n\t current: char\n\tprevious: int"},
		{"int x; int x[int];", "D_DECL_IDRED", "current: int [int]"},
		{"int pid;", "D_DECL_IDRED", "identifier redeclared: pid"},
		{"int x[int]; int x[string];", "D_DECL_IDRED",
		 "current: int [string]\n\tprevious: int [int]"},
		{"this int a[int];", "D_DECL_LOCASSC",
		 "associative arrays may not be declared as local variables: a"},
		{"void x;", "D_DECL_VOIDOBJ", "cannot declare void object: x"},
		{"int;", "D_DECL_USELESS", "useless declaration"},
		{"static int x;", "D_DECL_BADCLASS",
		 "specified storage class not appropriate in D"},
		{"int *x[0];", "D_DECL_ARRSUB", "positive integral constant"},
		{"int x[-1];", "D_DECL_ARRSUB", "positive integral constant"},
		{"int x[];", "D_DECL_ARRNULL",
		 "array declaration requires array dimension"},
		{"int x[2000000000];", "D_DECL_ARRBIG", "array dimension too big"},
		{"typedef int foo; typedef char foo;", "D_DECL_IDRED",
		 "typedef redeclared: foo"},
		{"int x[3]; int x[4];", "D_DECL_IDRED",
		 "identifier redeclared: x\n\t current: int [4]\n\tprevious: int [3]"},
		{"extern int x; extern char x;", "D_DECL_IDRED",
		 "identifier redeclared: x\n\t current: extern char\n"
		 "\tprevious: int"},
		{"self int f(int);", "D_DECL_INCOMPLETE",
		 "cannot declare object of incomplete type: int () f"},
		{"extern int f(void x);", "D_DECL_PROTO_NAME",
		 "may not have a name: x"},
		{"extern int f(void, int);", "D_DECL_PROTO_VOID",
		 "void must be sole parameter"},
		{"extern int f(static int);", "D_DECL_PARMCLASS",
		 "inappropriate storage class"},
		{"int x[void, int];", "D_DECL_PROTO_TYPE",
		 "array prototype may not use parameter of type void"},
	};

	(void)state;
	check_refusals(cases, sizeof(cases) / sizeof(cases[0]), "", " BEGIN { }");
}

static void test_predicates(void **state)
{
	static const struct refusal cases[] = {
		{"BEGIN /\"a\"/ { }", "D_PRED_SCALAR",
		 "predicate result must be of scalar type"},
		{"BEGIN /trace(1)/ { }", "D_PRED_SCALAR", "must be of scalar type"},
		{"BEGIN /nosuch/ { }", "D_IDENT_UNDEF", "failed to resolve nosuch"},
		{"BEGIN { @a = count(); } BEGIN /@a/ { }", "D_PRED_SCALAR",
		 "predicate result must be of scalar type"},
	};

	(void)state;
	check_refusals(cases, sizeof(cases) / sizeof(cases[0]), "", "");
}

/* What D has for a kernel alone is refused by its name. */
static void test_kernel_names(void **state)
{
	static const struct {
		const char *name, *kind, *proto;
	} cases[] = {
#define ACTION(name, least, most, contexts, flags)
#define AGGFUNC(name, least, most)
#define KERNEL(name, kind, result, proto, flags) {#name, #kind, proto},
#include "dlang/check/action.def"
#undef ACTION
#undef AGGFUNC
#undef KERNEL
	};
	struct strbuf messages = {0};
	char text[128], expected[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const bool is_var = strcmp(cases[i].kind, "VAR") == 0;
		const char *name = cases[i].name, *proto = cases[i].proto;
		char arguments[64] = "";

		for (; *proto; proto += strspn(proto, ", ")) {
			bool is_pointer = proto[strcspn(proto, ",") - 1] == '*';

			strcat(arguments, *arguments ? ", " : "");
			strcat(arguments, is_pointer ? "(struct k *)1" : "1");
			proto += strcspn(proto, ",");
		}
		snprintf(text, sizeof(text), "BEGIN { %s%s%s%s; }", name,
			 is_var ? "" : "(", arguments, is_var ? "" : ")");
		snprintf(expected, sizeof(expected),
			 "[%s] line 1: %s%s has no meaning in user-mode tracing",
			 is_var ? "D_VAR_UNSUP" : "D_UNKNOWN", name,
			 is_var ? "" : "( )");
		compile(text, &messages);
		if (!strstr(messages.data, expected))
			fail_msg("%s: %s", text, messages.data);
	}
	strbuf_release(&messages);
}

/* A scope takes 64256 names, those of the language included. */
static void test_many_names(void **state)
{
	struct strbuf text = {0}, messages = {0};

	(void)state;
	strbuf_puts(&text, "BEGIN { ");
	for (unsigned i = 0; i < 64256; i++)
		strbuf_printf(&text, "self->v%u = 0; ", i);
	strbuf_puts(&text, "}");
	compile(text.data, &messages);
	assert_int_equal(messages.len, 0);
	strbuf_puts(&text, " BEGIN { self->last = 0; }");
	compile(text.data, &messages);
	assert_non_null(
		strstr(messages.data,
		       "[D_ID_OFLOW] line 1: cannot create last: limit on number of "
		       "self variables exceeded"));
	strbuf_release(&text);
	strbuf_release(&messages);
}

/* Programs that D accepts though C, or a strict reader, would not. */
static void test_accepted(void **state)
{
	static const char *const cases[] = {
		"BEGIN /this->z == 3/ { this->z = 3; }",
		"BEGIN /self->a[1]/ { self->a[1] = 3; }",
		"BEGIN { s = \"a\"; s = NULL; s = 0; trace(s == NULL); }",
		"BEGIN { trace(1 ? 2 : nosuch + \"a\"); }",
		"BEGIN { p = (int *)arg0; p = NULL; p = (void *)1; trace(p == NULL); }",
		"int x; int x; BEGIN { x = 1; }",
		"self string s; this char *p; int a[string, int]; self int b[int]; "
		"BEGIN { }",
		"BEGIN { copyin((int *)arg0, 4); }",
		"BEGIN { @a = lquantize(arg0, 0, 100, 10, 2); @b = quantize(arg0, -1); "
		"}",
		"BEGIN { @a = lquantize(1, 0, 10, 3); @a = lquantize(1, 0, 9, 3); }",
		"BEGIN { @a[1, \"x\"] = count(); printa(\"%@d %@5u\", @a); printa(@a, "
		"@a); }",
		"BEGIN { trace((void *)0 == NULL); trace((char *)arg0 == \"a\"); }",
		"BEGIN { trace(&((int *)arg0)[3]); trace(&*(int *)arg0); }",
		"BEGIN { unsigned_ = 1u; trace(sizeof (unsigned long long)); }",
		"BEGIN { x++; y += 2; self->z--; a[1] |= 4; }",
		"typedef int (*fp)(int, char *); BEGIN { f = (fp)arg0; }",
		"BEGIN { trace(stringof(arg0)); trace((string)copyin(arg0, 4)); }",
	};
	struct strbuf messages = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		compile(cases[i], &messages);
		if (messages.len)
			fail_msg("%s: %s", cases[i], messages.data);
	}
	strbuf_release(&messages);
}

/* One statement's mistake does not hide the next one's. */
static void test_several(void **state)
{
	struct strbuf messages = {0};

	(void)state;
	compile("BEGIN /nosuch1/ { nosuch2; nosuch3 + nosuch4; if (nosuch5) nosuch6; }",
		&messages);
	for (int i = 1; i <= 6; i++) {
		char name[] = "resolve nosuch0:";

		name[14] = (char)('0' + i);
		assert_non_null(
			memmem(messages.data, messages.len, name, sizeof(name) - 1));
	}
	strbuf_release(&messages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),  cmocka_unit_test(test_functions),
		cmocka_unit_test(test_aggregations), cmocka_unit_test(test_actions),
		cmocka_unit_test(test_declarations), cmocka_unit_test(test_predicates),
		cmocka_unit_test(test_kernel_names), cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_several),	     cmocka_unit_test(test_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
