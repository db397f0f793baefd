/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/opts.h"

#include <cmocka.h>

#define ARGS_MAX 16

/* Splits at blanks; a word in a case holds none. */
static int split(const char *line, char *copy, char *argv[ARGS_MAX])
{
	int n = 0;
	char *save = NULL;

	strcpy(copy, line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[n++] = w;
	argv[n] = NULL;
	return n;
}

/* All that was understood, in a line. */
static void describe(const struct opts *o, struct strbuf *out)
{
	static const char *const modes[] = {"trace",  "list",	"compile", "version",
					    "header", "object", "explain", "diff",
					    "help",   "release"};

	strbuf_reset(out);
	strbuf_puts(out, modes[o->mode]);
	if (o->is_verbose)
		strbuf_puts(out, " verbose");
	if (o->output)
		strbuf_printf(out, " >%s", o->output);
	for (size_t i = 0; i < o->settings.len; i++) {
		const struct opts_setting *s = &o->settings.data[i];

		strbuf_printf(out, " %s[%s]", s->shown, s->name);
		if (s->value)
			strbuf_printf(out, "=%s", s->value);
	}
	for (size_t i = 0; i < o->targets.len; i++) {
		if (o->targets.data[i].command)
			strbuf_printf(out, " run:%s", o->targets.data[i].command);
		else if (o->targets.data[i].name)
			strbuf_printf(out, " %s:%s",
				      o->targets.data[i].is_awaited ? "await" : "name",
				      o->targets.data[i].name);
		else
			strbuf_printf(out, " pid:%d", o->targets.data[i].pid);
	}
	for (size_t i = 0; i < o->programs.len; i++)
		strbuf_printf(out, " %c:%s", o->programs.data[i].letter,
			      o->programs.data[i].text);
	for (size_t i = 0; i < o->operands.len; i++)
		strbuf_printf(out, " $%zu=%s", i + 1, o->operands.data[i]);
	if (o->nafter)
		strbuf_printf(out, " after:%zu", o->nafter);
	assert_null(o->operands.data[o->operands.len]);
}

static void test_accepted(void **state)
{
	static const struct {
		const char *line, *expected;
	} cases[] = {
		{"dtrace -n BEGIN", "trace n:BEGIN"},
		{"dtrace -h -s x.d", "header >x.h -h[zdefs] s:x.d"},
		{"dtrace -G -s x.d a.o", "object >x.o -G[zdefs] s:x.d $1=a.o"},
		{"dtrace -G -s x.d -o y.o", "object >y.o -G[zdefs] s:x.d"},
		{"dtrace -G -n BEGIN", "object >d.out -G[zdefs] n:BEGIN"},
		{"dtrace -nBEGIN", "trace n:BEGIN"},
		{"dtrace -qn BEGIN a b", "trace -q[quiet] n:BEGIN $1=a $2=b"},
		{"dtrace a -n BEGIN b -q c", "trace -q[quiet] n:BEGIN $1=a $2=b $3=c"},
		{"dtrace -n BEGIN -- -q -x", "trace n:BEGIN $1=-q $2=-x after:2"},
		{"dtrace -n BEGIN a -- b", "trace n:BEGIN $1=a $2=b after:1"},
		{"dtrace -s a.d -f f -m m -P p -i 1 -n n",
		 "trace s:a.d f:f m:m P:p i:1 n:n"},
		{"dtrace --explain f:entry -n BEGIN", "explain n:f:entry n:BEGIN"},
		{"dtrace --diff a b -n BEGIN", "diff n:BEGIN $1=b"},
		{"dtrace -p 12 -c prog -p 7", "trace pid:12 run:prog pid:7"},
		{"dtrace -p redis-server -W 7z -p 3",
		 "trace name:redis-server await:7z pid:3"},
		{"dtrace -FSwqZ -b 4m",
		 "trace -F[flowindent] -S[verbose] -w[destructive] "
		 "-q[quiet] -Z[zdefs] -b[bufsize]=4m"},
		{"dtrace -x quiet -x aggsize=1m -x stdc= -x a=b=c",
		 "trace -x[quiet] -x[aggsize]=1m -x[stdc]= -x[a]=b=c"},
		{"dtrace -C -D A=1 -U B -I dir -L lib -H -X s",
		 "trace -C[cpp] -D[define]=A=1 -U[undef]=B -I[incdir]=dir "
		 "-L[libdir]=lib "
		 "-H[cpphdrs] -X[stdc]=s"},
		{"dtrace -l", "list -l[zdefs]"},
		{"dtrace -lv -n BEGIN", "list verbose -l[zdefs] n:BEGIN"},
		{"dtrace -l -l", "list -l[zdefs]"},
		{"dtrace -e -n BEGIN -o out", "compile >out n:BEGIN"},
		{"dtrace -V", "version"},
		{"dtrace -64 -n BEGIN", "trace n:BEGIN"},
		{"dtrace -q", "trace -q[quiet]"},
		{"dtrace word", "trace $1=word"},
		{"dtrace --help", "help"},
		{"dtrace -n BEGIN --version -z", "release n:BEGIN"},
		{"dtrace --vers", "release"},
		{"dtrace -lV --help", "help"},
		{"dtrace -n BEGIN -- --help", "trace n:BEGIN $1=--help after:1"},
		{"dtrace -n --help", "trace n:--help"},
		{"dtrace -h -s a/x.d", "header >a/x.h -h[zdefs] s:a/x.d"},
		{"dtrace -h -s x -o y", "header >y -h[zdefs] s:x"},
	};
	struct strbuf messages = {0}, got = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char copy[256], *argv[ARGS_MAX];
		int argc = split(cases[i].line, copy, argv);
		struct opts o;

		assert_int_equal(opts_parse(&o, argc, argv, &messages), 0);
		assert_int_equal(messages.len, 0);
		describe(&o, &got);
		assert_string_equal(got.data, cases[i].expected);
		opts_release(&o);
	}
	strbuf_release(&messages);
	strbuf_release(&got);
}

/* Messages are compared up to where usage, or the line that points at it, begins. */
static void test_refused(void **state)
{
	static const char *const starts[] = {
		"",
		"Usage: dtrace --help shows the options and examples\n",
		"Usage: dtrace [-32|-64] [-aACeFGhHlqSvVwZ]",
	};
	static const struct {
		const char *line;
		int status;
		enum { NO_USAGE, POINTER, USAGE } usage;
		const char *message;
	} cases[] = {
		{"/usr/bin/dtrace", 2, USAGE, ""},
		{"/a/b/dtrace -z", 2, POINTER, "dtrace: invalid option -- 'z'\n"},
		{"dtrace -n", 2, POINTER,
		 "dtrace: option requires an argument -- 'n'\n"},
		{"dtrace -qz", 2, POINTER, "dtrace: invalid option -- 'z'\n"},
		{"dtrace -33", 2, POINTER, "dtrace: illegal option -- 33\n"},
		{"dtrace -65", 2, POINTER, "dtrace: illegal option -- 65\n"},
		{"dtrace --nosuch", 2, POINTER, "dtrace: invalid option '--nosuch'\n"},
		{"dtrace --help=1", 2, POINTER, "dtrace: invalid option '--help=1'\n"},
		{"dtrace -32 -n BEGIN", 2, NO_USAGE,
		 "dtrace: -32 is not supported: only 64-bit programs can be traced\n"},
		{"dtrace -a", 2, NO_USAGE,
		 "dtrace: -a is not supported: there is no anonymous tracing in user "
		 "mode\n"},
		{"dtrace -A -n BEGIN", 2, NO_USAGE,
		 "dtrace: -A is not supported: there is no anonymous tracing in user "
		 "mode\n"},
		{"dtrace -G", 2, NO_USAGE,
		 "dtrace: -G requires one or more scripts or enabling options\n"},
		{"dtrace -h", 2, NO_USAGE,
		 "dtrace: -h requires one or more scripts or enabling options\n"},
		{"dtrace -h -s x", 2, NO_USAGE,
		 "dtrace: -h requires an output file if no scripts are specified\n"},
		{"dtrace -h -s x.d -s y.d", 2, NO_USAGE,
		 "dtrace: -h requires an output file if multiple scripts are "
		 "specified\n"},
		{"dtrace -B -n BEGIN", 2, NO_USAGE,
		 "dtrace: -B is not supported: there is no library whose "
		 "buffered output could be shown\n"},
		{"dtrace -lV", 2, NO_USAGE,
		 "dtrace: only one of the [-AGhlV] options can be specified at a "
		 "time\n"},
		{"dtrace -A -G -h -l -V", 2, NO_USAGE,
		 "dtrace: only one of the [-AGhlV] options can be specified at a "
		 "time\n"},
		{"dtrace -W", 2, POINTER,
		 "dtrace: option requires an argument -- 'W'\n"},
		{"dtrace -p 12x", 1, NO_USAGE, "dtrace: invalid pid: 12x\n"},
		{"dtrace -p -5", 1, NO_USAGE, "dtrace: invalid pid: -5\n"},
		{"dtrace -p 0", 1, NO_USAGE, "dtrace: invalid pid: 0\n"},
		{"dtrace -p 99999999999999999999", 1, NO_USAGE,
		 "dtrace: invalid pid: 99999999999999999999\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char copy[256], *argv[ARGS_MAX];
		int argc = split(cases[i].line, copy, argv);
		struct strbuf messages = {0};
		struct opts o;
		char *usage;

		assert_int_equal(opts_parse(&o, argc, argv, &messages),
				 cases[i].status);
		usage = strstr(messages.data, "Usage: ");
		if (cases[i].usage == NO_USAGE)
			assert_null(usage);
		else
			assert_memory_equal(usage, starts[cases[i].usage],
					    strlen(starts[cases[i].usage]));
		if (usage)
			*usage = '\0';
		assert_string_equal(messages.data, cases[i].message);
		strbuf_release(&messages);
		opts_release(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
