/* SPDX-License-Identifier: MIT */
/* Paths of which a part is not the user's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/trust/path_check.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

/* In the texts < and > are around what is not the user's. */
static void test_paths(void **state)
{
	static const struct {
		const char *text;
		bool is_safe;
	} cases[] = {
		{"", true},
		{"<>", true},
		{"plain", true},
		{"/a/../b/", true},
		{"<name>", true},
		{"/tmp/<name>", true},
		{"/tmp/<.name>", true},
		{"/tmp/<name>.log", true},
		{"/tmp/<>.log", true},
		{"/tmp/..<name>", true},
		{"../<name>/..", true},
		{"</name>", false},
		{"<a/b>", false},
		{"<name/>", false},
		{"/tmp/<..>", false},
		{"/tmp/<..name>", false},
		{"/tmp/<a..b>", false},
		{"/tmp/<.>", false},
		{"/tmp/<.>/x", false},
		{"/tmp/<.><.>/x", false},
		{"/tmp/.<.>/x", false},
		{"/tmp/<.>./x", false},
		{".<.>", false},
		{"/tmp/<>/x", false},
		{"<>/etc/passwd", false},
		{"<>/etc/<name>", false},
		{"<name>/<..>", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf path = {0};
		struct path_spans spans = {0};

		strbuf_puts(&path, "");
		for (const char *p = cases[i].text; *p; p++) {
			if (*p == '<')
				*vec_push(&spans) = (struct path_span){path.len, 0};
			else if (*p == '>')
				spans.data[spans.len - 1].to = path.len;
			else
				strbuf_putc(&path, *p);
		}
		if (path_check_is_safe(path.data, &spans) != cases[i].is_safe)
			fail_msg("%s", cases[i].text);
		strbuf_release(&path);
		vec_release(&spans);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
