/* SPDX-License-Identifier: MIT */
/* How the command of -c is split. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/targets/command_words.h"
#include "vm/base/host/strbuf.h"

static void test_words(void **state)
{
	static const struct {
		const char *command, *words; /* each followed by "|" */
	} cases[] = {
		{"prog", "prog|"},
		{" \t prog  a\vb\nc ", "prog|a|b|c|"},
		{"prog 'a  b' \"c d\"", "prog|a  b|c d|"},
		{"'my prog' x", "my prog|x|"},
		{"p a'b'\"c\"d", "p|abcd|"},
		{"p '' \"\"", "p|||"},
		{"p a\\ b \\'x\\\" \\\\", "p|a b|'x\"|\\|"},
		{"p '\\n \"' \"'\"", "p|\\n \"|'|"},
		{"p \"\\\" \\\\ \\$ \\` \\n\"", "p|\" \\ $ ` \\n|"},
		{"p $HOME *.c", "p|$HOME|*.c|"},
		{"p \\", "p|\\|"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf got = {0};
		char **words;
		struct err e;

		assert_int_equal(command_words(cases[i].command, &words, &e), 0);
		for (char **w = words; *w; w++)
			strbuf_printf(&got, "%s|", *w);
		assert_string_equal(got.data, cases[i].words);
		strbuf_release(&got);
		command_words_free(words);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *command, *reason;
	} cases[] = {
		{"", "the command is empty"},
		{" \t\n", "the command is empty"},
		{"p 'a", "a quote is not closed"},
		{"p \"a'", "a quote is not closed"},
		{"p \"a\\\"", "a quote is not closed"},
		{"'", "a quote is not closed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char **words;
		struct err e;

		assert_int_equal(command_words(cases[i].command, &words, &e),
				 STATUS_INVAL);
		assert_string_equal(e.text, cases[i].reason);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
