/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/dlang_front.h"

/* Precedence and associativity, as prefix forms. */
static void test_expressions(void **state)
{
	static const struct {
		const char *text, *tree;
	} cases[] = {
		{"1 + 2 * 3", "(+ 1 (* 2 3))"},
		{"(1 + 2) * 3", "(* (+ 1 2) 3)"},
		{"a - b - c", "(- (- a b) c)"},
		{"a / b % c * d", "(* (% (/ a b) c) d)"},
		{"a << b + c >> d", "(>> (<< a (+ b c)) d)"},
		{"a < b << c", "(< a (<< b c))"},
		{"a <= b >= c > d", "(> (>= (<= a b) c) d)"},
		{"a == b < c != d", "(!= (== a (< b c)) d)"},
		{"a & b == c", "(& a (== b c))"},
		{"a ^ b & c", "(^ a (& b c))"},
		{"a | b ^ c", "(| a (^ b c))"},
		{"a && b | c", "(&& a (| b c))"},
		{"a ^^ b && c", "(^^ a (&& b c))"},
		{"a || b ^^ c", "(|| a (^^ b c))"},
		{"a || b || c", "(|| (|| a b) c)"},
		{"a ? b : c ? d : e", "(?: a b (?: c d e))"},
		{"a || b ? c, d : e", "(?: (|| a b) (, c d) e)"},
		{"a = b = c", "(= a (= b c))"},
		{"a = b ? c : d", "(= a (?: b c d))"},
		{"a += b", "(+= a b)"},
		{"a -= b *= c", "(-= a (*= b c))"},
		{"a /= b", "(/= a b)"},
		{"a %= b", "(%= a b)"},
		{"a <<= b", "(<<= a b)"},
		{"a >>= b", "(>>= a b)"},
		{"a &= b", "(&= a b)"},
		{"a ^= b", "(^= a b)"},
		{"a |= b", "(|= a b)"},
		{"a, b, c", "(, (, a b) c)"},
		{"a = 1, b = 2", "(, (= a 1) (= b 2))"},
		{"-a * !b", "(* (- a) (! b))"},
		{"~+a", "(~ (+ a))"},
		{"- -a", "(- (- a))"},
		{"*p++", "(* (post++ p))"},
		{"++*p", "(++ (* p))"},
		{"--a - b--", "(- (-- a) (post-- b))"},
		{"&a", "(& a)"},
		{"a & &b", "(& a (& b))"},
		{"*a[1]->b.c", "(* (. (-> ([] a 1) b) c))"},
		{"a[1, 2][3]", "([] ([] a 1 2) 3)"},
		{"f()", "(call f)"},
		{"f(a, b = c, (d, e))", "(call f a (= b c) (, d e))"},
		{"self->a + this->b", "(+ self->a this->b)"},
		{"self->a->b", "(-> self->a b)"},
		{"self->a[1]++", "(post++ ([] self->a 1))"},
		{"self->self", "self->self"},
		{"self->string", "self->string"},
		{"a->probe", "(-> a probe)"},
		{"a.uint64_t", "(. a uint64_t)"},
		{"sizeof a + b", "(+ (sizeof a) b)"},
		{"sizeof (a)[1]", "(sizeof ([] a 1))"},
		{"sizeof (int) + 1", "(+ (sizeof < int >) 1)"},
		{"sizeof (char *)", "(sizeof < pointer to char >)"},
		{"sizeof (int (*)())",
		 "(sizeof < pointer to function ( ) giving int >)"},
		{"sizeof (int [3])", "(sizeof < array [3] of int >)"},
		{"stringof p", "(stringof p)"},
		{"stringof (p + 1)", "(stringof (+ p 1))"},
		{"stringof p + 1", "(+ (stringof p) 1)"},
		{"(int)a + b", "(+ (cast < int > a) b)"},
		{"(int)-a", "(cast < int > (- a))"},
		{"(char **)a", "(cast < pointer to pointer to char > a)"},
		{"(const char *)a", "(cast < pointer to const char > a)"},
		{"(userland int *)a", "(cast < pointer to userland int > a)"},
		{"(uint64_t)(string)a", "(cast < uint64_t > (cast < string > a))"},
		{"(unsigned long long)a", "(cast < long long unsigned > a)"},
		{"(long unsigned int)a", "(cast < long unsigned int > a)"},
		{"(a)", "a"},
		{"(a) = b", "(= a b)"},
		{"\"a\\\"b\"", "\"a\\\"b\""},
		{"@ = count()", "(= @_ (call count))"},
		{"@a[b, \"c\"] = sum(d)", "(= ([] @a b \"c\") (call sum d))"},
		{"@a[1][2]", "([] ([] @a 1) 2)"},
		{"printa(@a)", "(call printa @a)"},
		{"a`b + `c", "(+ a`b `c)"},
		{"if (a) b", "if a\n    b"},
		{"if (a) b; else c", "if a\n    b\n  else\n    c"},
		{"if (a) { b; c } else if (d) e; else { }",
		 "if a\n    b\n    c\n  else\n"
		 "    if d\n      e"},
		{"if (a) if (b) c; else d",
		 "if a\n    if b\n      c\n    else\n      d"},
		{"if (a) ; b", "if a\n  b"},
		{";;a;;b;", "a\n  b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[200], expected[300], *dump;
		struct front_input in = {.text = text};

		snprintf(text, sizeof(text), "BEGIN{%s}", cases[i].text);
		snprintf(expected, sizeof(expected),
			 "clause 1:1\n  probe :::BEGIN\n  %s\n", cases[i].tree);
		dump = front_dump(&in, "tree");
		assert_string_equal(dump, expected);
		free(dump);
	}
}

static void test_declarations(void **state)
{
	static const struct {
		const char *text, *tree;
	} cases[] = {
		{"int x;", "variable x: int\n"},
		{"self string s;", "self s: string\n"},
		{"this uint64_t t;", "this t: uint64_t\n"},
		{"string a[int, string];",
		 "variable a: array by ( int, string ) of string\n"},
		{"int a[char *p];",
		 "variable a: array by ( p: pointer to char ) of int\n"},
		{"int a[3][4];", "variable a: array [3] of array [4] of int\n"},
		{"int a[];", "variable a: array [] of int\n"},
		{"int *a[1 + 2], b;",
		 "variable a: array [(+ 1 2)] of pointer to int\nvariable b: int\n"},
		{"int (*a)[3];", "variable a: pointer to array [3] of int\n"},
		{"char *const *p;", "variable p: pointer to pointer to char\n"},
		{"extern int f(int, char *, ...);",
		 "extern f: function ( int, pointer to char, ... ) giving int\n"},
		{"int (*f)(void);",
		 "variable f: pointer to function ( void ) giving int\n"},
		{"int;", "variable int\n"},
		{"typedef int t; t x;", "typedef t: int\nvariable x: t\n"},
		{"typedef int t; BEGIN{(t)x}",
		 "typedef t: int\nclause 1:16\n  probe :::BEGIN\n  (cast < t > x)\n"},
		{"typedef int t; typedef int t;", "typedef t: int\ntypedef t: int\n"},
		{"auto int x;", "auto x: int\n"},
		{"static int x;", "static x: int\n"},
		{"signed unsigned x;", "variable x: signed unsigned\n"},
		{"D`int32_t x;", "variable x: D`int32_t\n"},
		{"int x; BEGIN, END /x/ { } string s;",
		 "variable x: int\nclause 1:8\n  probe :::BEGIN\n  probe :::END\n"
		 "  predicate x\nvariable s: string\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i].text};
		char *dump = front_dump(&in, "tree");

		assert_string_equal(dump, cases[i].tree);
		free(dump);
	}
}

/* What differs between a file and an argument, and how clauses are distinguished. */
static void test_clauses(void **state)
{
	static const struct {
		const char *text, *tree;
		bool is_file;
	} cases[] = {
		{"a b", "clause 1:1\n  probe :::a\nclause 1:3\n  probe :::b\n", false},
		{"a, b", "clause 1:1\n  probe :::a\n  probe :::b\n", false},
		{"a{} b", "clause 1:1\n  probe :::a\nclause 1:5\n  probe :::b\n",
		 false},
		{"int*", "clause 1:1\n  probe :::int*\n", false},
		{"int*x;", "variable x: pointer to int\n", true},
		{"int*:a:b:{}", "clause 1:1\n  probe int*:a:b:\n", true},
		{"a /x / 2/ {}", "clause 1:1\n  probe :::a\n  predicate (/ x 2)\n",
		 true},
		{"a /x/ /* c */ {}", "clause 1:1\n  probe :::a\n  predicate x\n", true},
		{"a/x/\n\n{}", "clause 1:1\n  probe :::a\n  predicate x\n", true},
		{"a/(x), y/{}", "clause 1:1\n  probe :::a\n  predicate (, x y)\n",
		 true},
		{"a:::entry{}b:::{}",
		 "clause 1:1\n  probe a:::entry\nclause 1:12\n"
		 "  probe b:::\n",
		 true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i].text,
					 .is_file = cases[i].is_file};
		char *dump = front_dump(&in, "tree");

		assert_string_equal(dump, cases[i].tree);
		free(dump);
	}
}

/* Every message of a program, in order: tag and text, joined by "|". */
static void all_messages(const char *dump, char *out, size_t cap)
{
	static const char prefix[] = "failed to compile script x.d: ";

	out[0] = '\0';
	for (const char *m = strstr(dump, prefix); m; m = strstr(m, prefix)) {
		m += strlen(prefix);
		snprintf(out + strlen(out), cap - strlen(out), "%s%.*s",
			 out[0] ? "|" : "", (int)strcspn(m, "\n"), m);
	}
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *messages;
	} cases[] = {
		{"BEGIN",
		 "[D_SYNTAX] line 1: expected predicate and/or actions following "
		 "probe description"},
		{"BEGIN\n/x/\n",
		 "[D_SYNTAX] line 3: expected actions { } following probe "
		 "description and predicate"},
		{"BEGIN { x", "[D_SYNTAX] line 1: syntax error near end of input"},
		{"BEGIN { x = ; y }", "[D_SYNTAX] line 1: syntax error near \";\""},
		{"BEGIN {\n x = ;\n y y;\n f(; z }\nEND { ] }",
		 "[D_SYNTAX] line 2: syntax error near \";\""
		 "|[D_SYNTAX] line 3: syntax error near \"y\""
		 "|[D_SYNTAX] line 4: syntax error near \";\""
		 "|[D_SYNTAX] line 5: extra ] in input stream"},
		{"BEGIN { for (;;) { x; } y }",
		 "[D_SYNTAX] line 1: syntax error near \"for\""},
		{"BEGIN { if x { y } else { z } w }",
		 "[D_SYNTAX] line 1: syntax error near \"x\""},
		{"BEGIN { if (x) { y y; } else { z z } }",
		 "[D_SYNTAX] line 1: syntax error near \"y\""
		 "|[D_SYNTAX] line 1: syntax error near \"z\""},
		{"BEGIN { if (x) y y; else z; w w }",
		 "[D_SYNTAX] line 1: syntax error near \"y\""
		 "|[D_SYNTAX] line 1: syntax error near \"w\""},
		{"BEGIN { else }", "[D_SYNTAX] line 1: syntax error near \"else\""},
		{"BEGIN { int x; }", "[D_SYNTAX] line 1: syntax error near \"int\""},
		{"BEGIN { { } }", "[D_SYNTAX] line 1: syntax error near \"{\""},
		{"BEGIN { a + b = c }", "[D_SYNTAX] line 1: syntax error near \"=\""},
		{"BEGIN { a ? b : c = d }",
		 "[D_SYNTAX] line 1: syntax error near \"=\""},
		{"BEGIN { a[] }", "[D_SYNTAX] line 1: syntax error near \"]\""},
		{"BEGIN { f(a,) }", "[D_SYNTAX] line 1: syntax error near \")\""},
		{"BEGIN { \"a\" \"b\" }",
		 "[D_SYNTAX] line 1: syntax error near \"\"b\"\""},
		{"BEGIN { a ? b }", "[D_SYNTAX] line 1: syntax error near \"}\""},
		{"BEGIN { a->5 }",
		 "[D_OP_IDENT] line 1: operator -> must be followed by an identifier"},
		{"BEGIN { a.if }",
		 "[D_OP_IDENT] line 1: operator . must be followed by an identifier"},
		{"BEGIN { self.x }", "[D_SYNTAX] line 1: syntax error near \".\""},
		{"BEGIN { sizeof (int x) }",
		 "[D_SYNTAX] line 1: syntax error near \"x\""},
		{"BEGIN /x\n{ y y }", "[D_SYNTAX] line 2: syntax error near \"{\""
				      "|[D_SYNTAX] line 2: syntax error near \"y\""},
		{"BEGIN // { }", "[D_SYNTAX] line 1: syntax error near \"/\""},
		{"BEGIN, { }", "[D_SYNTAX] line 1: syntax error near \"{\""},
		{"BEGIN; END { 1 1 }",
		 "[D_SYNTAX] line 1: expected predicate and/or actions following probe "
		 "description|[D_SYNTAX] line 1: syntax error near \"1\""},
		{"BEGIN { offsetof(struct x, 1); }",
		 "[D_OP_IDENT] line 1: operator offsetof must be followed by an "
		 "identifier"},
		{"BEGIN { xlate int (x); }",
		 "[D_SYNTAX] line 1: syntax error near \"int\""},
		{"BEGIN { xlate <int> x; }",
		 "[D_SYNTAX] line 1: syntax error near \"x\""},
		{"BEGIN { (struct *)y; }",
		 "[D_SYNTAX] line 1: syntax error near \"*\""},
		{"struct x { int; };\nunion y { };\nenum { A, 1 };\n"
		 "struct z { self int x; };\nint x x;",
		 "[D_SYNTAX] line 2: syntax error near \"}\""
		 "|[D_SYNTAX] line 3: syntax error near \"1\""
		 "|[D_SYNTAX] line 4: a member may not have a storage class"
		 "|[D_SYNTAX] line 5: syntax error near \"x\""},
		{"inline int x 3;\ntranslator int < int > { };\n"
		 "provider p { probe q; };\nint x x;",
		 "[D_SYNTAX] line 1: syntax error near \"3\""
		 "|[D_SYNTAX] line 2: syntax error near \">\""
		 "|[D_SYNTAX] line 3: syntax error near \";\""
		 "|[D_SYNTAX] line 4: syntax error near \"x\""},
		{"import x;", "[D_SYNTAX] line 1: syntax error near \"import\""},
		{"int x = 0;", "[D_SYNTAX] line 1: syntax error near \"=\""},
		{"int x, ;", "[D_SYNTAX] line 1: syntax error near \";\""},
		{"self static int x;", "[D_DECL_CLASS] line 1: only one storage class "
				       "allowed in a declaration"},
		{"int char x;", "[D_DECL_COMBO] line 1: invalid type combination"},
		{"long long long x;",
		 "[D_DECL_COMBO] line 1: invalid type combination"},
		{"unsigned unsigned x;",
		 "[D_DECL_COMBO] line 1: invalid type combination"},
		{"BEGIN{f(a)(b);}", "[D_FUNC_IDENT] line 1: function designator is not "
				    "of function type"},
		{"int a`b;", "[D_DECL_SCOPE] line 1: D scoping operator may not be "
			     "used in a declaration name (a`b)"},
		{"int a[self int];",
		 "[D_DECL_PARMCLASS] line 1: inappropriate storage class "
		 "for function or associative array parameter"},
		{"int f(static int);",
		 "[D_DECL_PARMCLASS] line 1: inappropriate storage class "
		 "for function or associative array parameter"},
	};
	char messages[1000];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i].text,
					 .is_file = true,
					 .options.errtags = true};
		char *dump = front_dump(&in, "tree");

		all_messages(dump, messages, sizeof(messages));
		assert_string_equal(messages, cases[i].messages);
		free(dump);
	}
}

/* The source line and the caret, whatever is in the line. */
static void test_excerpts(void **state)
{
	static const struct {
		const char *text, *excerpt;
	} cases[] = {
		{"BEGIN { x x }", "\n    BEGIN { x x }\n              ^\n"},
		{"BEGIN\n{\n\tx x\n}", "\n    \tx x\n    \t  ^\n"},
		{"BEGIN { \"\xc3\xa9\" x }",
		 "\n    BEGIN { \"\xc3\xa9\" x }\n                ^\n"},
		{"BEGIN { \"\x1b[2J\" x }",
		 "\n    BEGIN { \"?[2J\" x }\n                   ^\n"},
		{"BEGIN { x", "\n    BEGIN { x\n             ^\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i].text, .is_file = true};
		char *dump = front_dump(&in, "tree");

		assert_string_equal(strchr(dump, '\n'), cases[i].excerpt);
		free(dump);
	}
}

/* A pattern many times over between two ends. */
static char *repeat(const char *begin, const char *what, size_t times, const char *end)
{
	struct strbuf b = {0};

	strbuf_puts(&b, begin);
	for (size_t i = 0; i < times; i++)
		strbuf_puts(&b, what);
	strbuf_puts(&b, end);
	return b.data;
}

/* Depth is refused by one message, whatever it leaves open; length is not depth. */
static void test_limits(void **state)
{
	static const struct {
		const char *begin, *what, *end;
		size_t times;
		size_t messages;
	} cases[] = {
		{"BEGIN { ", "(", "", 100000, 1},
		{"BEGIN { ", "!", "x }", 100000, 1},
		{"BEGIN { ", "(int)", "x }", 100000, 1},
		{"BEGIN { x", "+1", " }", 100000, 1},
		{"BEGIN { x", "[1]", " }", 100000, 1},
		{"BEGIN { ", "x?", "", 100000, 1},
		{"BEGIN { x", "?1:1", " }", 100000, 1},
		{"BEGIN { ", "x=", "x }", 100000, 1},
		{"BEGIN { ", "if (x) ", "y }", 100000, 1},
		{"BEGIN { ", "if (x) y; else ", "y }", 100000, 1},
		{"BEGIN { ", "if (x) {", "", 100000, 1},
		{"int ", "(", "x", 100000, 1},
		{"int f(", "int (*)(", "", 100000, 1},
		{"BEGIN { ", "sizeof ", "x }", 100000, 1},
		{"BEGIN { x", "+1", " }", 900, 0},
		{"BEGIN { f(1", ",1", ") }", 20000, 0},
		{"BEGIN { ", "x;", " }", 20000, 0},
		{"BEGIN { ", "(", "", 100, 1},
		{"int *", "*", "x;", 255, 0},
		{"int *", "*", "x;", 256, 1},
		{"", "BEGIN { } ", "", 3000, 0},
		{"", "BEGIN { ) } ", "", 3000, 20},
		{"BEGIN { ", ");", "}", 3000, 20},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *text = repeat(cases[i].begin, cases[i].what, cases[i].times,
				    cases[i].end);
		struct front_input in = {.text = text, .is_file = true};
		char *dump = front_dump(&in, "tree");

		assert_int_equal(front_count(dump, "failed to compile"),
				 cases[i].messages);
		free(dump);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions), cmocka_unit_test(test_declarations),
		cmocka_unit_test(test_clauses),	    cmocka_unit_test(test_errors),
		cmocka_unit_test(test_excerpts),    cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
