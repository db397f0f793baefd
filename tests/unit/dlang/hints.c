/* SPDX-License-Identifier: MIT */
/*
 * The line that follows an error of a newcomer, and errors that have none. In messages.c
 * are the errors themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "dlang/dlang.h"
#include "dlang/typesrc.h"

static bool parameter(void *ctx, const char *name, uint32_t *n)
{
	(void)ctx;
	*n = 2;
	return strcmp(name, "key") == 0;
}

static const struct type *find(void *ctx, struct types *ts, const char *object,
			       const char *name, struct err *e)
{
	(void)ctx;
	(void)ts;
	(void)object;
	(void)name;
	(void)e;
	return NULL;
}

/* The last line of the only message, if it is a hint; "" if it is none. */
static const char *hint_of(const char *text, struct strbuf *messages)
{
	static const struct typesrc types = {.find = find, .parameter = parameter};
	const struct dlang_env env = {.types = &types};
	const struct dlang_source src = {.text = text, .name = "x.d", .is_file = true};
	struct dlang *d = dlang_new(&env);
	struct dlang_program program;
	const char *first, *last;

	strbuf_reset(messages);
	assert_int_not_equal(dlang_compile(d, &src, &program, messages), 0);
	dlang_free(d);
	first = dlang_message(messages, NULL);
	assert_null(dlang_message(messages, first));
	last = strrchr(first, '\n');
	return last && last[1] == '\t' ? last + 2 : "";
}

static const struct row {
	const char *text, *hint;
} rows[] = {
	/* words of other tools */
	{"BEGIN { trace(comm); }", "in D: execname"},
	{"BEGIN { trace(func); }", "in D: probefunc"},
	{"uprobe:/bin/bash:readline { trace(1); }",
	 "did you mean 'pid$target:bash:readline:entry'?"},
	{"uretprobe:./lib/libc.so.6:malloc /pid/ { @ = count(); }",
	 "did you mean 'pid$target:libc.so.6:malloc:return'?"},
	{"uprobe:/:f", "did you mean 'pid$target::f:entry'?"},
	{"uprobe:a/b", ""},
	{"BEGIN { trace(nsecs); }", "in D: timestamp"},
	{"BEGIN { @ = hist(1); }", "in D: quantize()"},
	{"BEGIN { @ = lhist(1, 0, 9, 1); }", "in D: lquantize()"},
	{"BEGIN { trace(str(arg0)); }", "in D: copyinstr()"},
	{"BEGIN { trace(user_string(arg0)); }", "in D: copyinstr()"},
	{"BEGIN { trace(retval); }", "in D: arg1, in a return probe"},
	{"BEGIN { trace(kstack); }",
	 "in D: ustack(): in user mode there are no stacks of the kernel"},
	{"BEGIN { trace(elapsed); }",
	 "in D: timestamp minus one that was kept: BEGIN {start = timestamp;}"},
	{"BEGIN { usleep(4); }", "in D: chill(), with -w; tick-1s fires every second"},
	{"BEGIN { x = strcmp(\"a\", \"b\"); }",
	 "in D: ==, which compares what strings contain"},
	{"BEGIN { trace(probe); }",
	 "the names of a probe: probeprov, probemod, probefunc, probename"},
	{"BEGIN { for (i = 0; i < 3; i++) trace(i); }",
	 "D has no loops: a clause runs at each event, and tick probes repeat"},
	{"BEGIN { while (1) { } }",
	 "D has no loops: a clause runs at each event, and tick probes repeat"},
	{"BEGIN { $x = 1; }",
	 "a variable has no $: this->x in a clause, self->x in a thread, x for all"},
	{"BEGIN { trace($x); }", ""},
	{"BEGIN { trace($x == 1); }", ""},
	{"BEGIN { trace($taget); }", "did you mean '$target'?"},
	/* how a thing is written */
	{"BEGIN { @[ustack] = count(); }",
	 "a function is called with parentheses: ustack()"},
	{"BEGIN { @[tid()] = count(); }",
	 "tid is a variable: write it without parentheses"},
	{"BEGIN { trace(args); }", "an argument has a number: args[0]"},
	{"BEGIN { print(@x); }",
	 "an aggregation begins with a function: @x = count(), sum(), quantize()..."},
	/* mistyped names */
	{"BEGIN { trace(timestmap); }", "did you mean 'timestamp'?"},
	{"BEGIN { trace(execnam); }", "did you mean 'execname'?"},
	{"BEGIN { trace(copyinsrt(arg0)); }", "did you mean 'copyinstr()'?"},
	{"BEGIN { nbytes = 1; trace(nbtyes); }", "did you mean 'nbytes'?"},
	{"BEGIN { trace(nosuch); }", ""},
	{"BEGIN { trace(x); }", ""},
	{"BEGIN { nosuch(1); }", ""},
	{"BEGIN { trace(self->timestmap); }", ""},
	/* strings */
	{"BEGIN { printf(\"%s\", arg0); }",
	 "copyinstr(arg0) is the string at this address"},
	{"BEGIN { printf(\"%d %s\", 1, arg3); }",
	 "copyinstr(arg3) is the string at this address"},
	{"BEGIN { printf(\"%s\", (void *)arg0); }",
	 "copyinstr() reads the string at an address"},
	{"BEGIN { printf(\"%s\", pid); }", "%d prints an integer"},
	{"BEGIN { printf(\"%s\", 5); }", ""},
	{"BEGIN { printf(\"%d\", \"x\"); }", ""},
	/* parameters */
	{"BEGIN { trace(key); }", "parameter 'key' of the probed function is args[2]"},
	{"BEGIN { trace(keys); }", ""},
};

static void test_hints(void **state)
{
	struct strbuf messages = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *hint = hint_of(rows[i].text, &messages);

		if (strcmp(hint, rows[i].hint) != 0)
			print_error("%s\n%s\n", rows[i].text, messages.data);
		assert_string_equal(hint, rows[i].hint);
	}
	strbuf_release(&messages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
