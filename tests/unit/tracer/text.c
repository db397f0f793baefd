/* SPDX-License-Identifier: MIT */
/* Bytes of a traced process in files that other programs read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/base/text.h"

static void test_escapes(void **state)
{
	static const struct {
		const char *bytes, *clean, *frame, *xml, *json;
	} cases[] = {
		{"", "", "", "", ""},
		{"plain_1", "plain_1", "plain_1", "plain_1", "plain_1"},
		{"[u8; 4]", "[u8; 4]", "[u8, 4]", "[u8; 4]", "[u8; 4]"},
		{"<a&'b\"\\>", "<a&'b\"\\>", "<a&'b\"\\>",
		 "&lt;a&amp;&#39;b&quot;\\&gt;", "<a&'b\\\"\\\\>"},
		/* control characters: C0, DEL, and C1 in UTF-8 */
		{"\n\x1b\x7f", "\\x0a\\x1b\\x7f", "\\x0a\\x1b\\x7f", "\\x0a\\x1b\\x7f",
		 "\\\\x0a\\\\x1b\\\\x7f"},
		{"\xc2\x9b", "\\xc2\\x9b", "\\xc2\\x9b", "\\xc2\\x9b",
		 "\\\\xc2\\\\x9b"},
		/* UTF-8 of 2, 3 and 4 bytes; the same cut short */
		{"\xc3\xa9", "\xc3\xa9", "\xc3\xa9", "\xc3\xa9", "\xc3\xa9"},
		{"\xe2\x82\xac", "\xe2\x82\xac", "\xe2\x82\xac", "\xe2\x82\xac",
		 "\xe2\x82\xac"},
		{"\xf0\x9f\x94\xa5", "\xf0\x9f\x94\xa5", "\xf0\x9f\x94\xa5",
		 "\xf0\x9f\x94\xa5", "\xf0\x9f\x94\xa5"},
		{"\xe2\x82", "\\xe2\\x82", "\\xe2\\x82", "\\xe2\\x82",
		 "\\\\xe2\\\\x82"},
		{"\xe2\x82z", "\\xe2\\x82z", "\\xe2\\x82z", "\\xe2\\x82z",
		 "\\\\xe2\\\\x82z"},
		/* longer than need be; a surrogate; beyond Unicode; not a character */
		{"\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf", "\\xc0\\xaf",
		 "\\\\xc0\\\\xaf"},
		{"\xe0\x80\xaf", "\\xe0\\x80\\xaf", "\\xe0\\x80\\xaf",
		 "\\xe0\\x80\\xaf", "\\\\xe0\\\\x80\\\\xaf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80",
		 "\\xed\\xa0\\x80", "\\\\xed\\\\xa0\\\\x80"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80",
		 "\\xf4\\x90\\x80\\x80", "\\\\xf4\\\\x90\\\\x80\\\\x80"},
		{"\xef\xbf\xbf", "\\xef\\xbf\\xbf", "\\xef\\xbf\\xbf",
		 "\\xef\\xbf\\xbf", "\\\\xef\\\\xbf\\\\xbf"},
		{"\x80\xff", "\\x80\\xff", "\\x80\\xff", "\\x80\\xff",
		 "\\\\x80\\\\xff"},
	};
	struct strbuf b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = strlen(cases[i].bytes);

		strbuf_puts(&b, "");
		strbuf_reset(&b);
		text_add_clean(&b, cases[i].bytes, n);
		assert_string_equal(b.data, cases[i].clean);
		strbuf_reset(&b);
		text_add_frame(&b, cases[i].bytes, n);
		assert_string_equal(b.data, cases[i].frame);
		strbuf_reset(&b);
		text_add_xml(&b, cases[i].bytes, n);
		assert_string_equal(b.data, cases[i].xml);
		strbuf_reset(&b);
		text_add_json(&b, cases[i].bytes, n);
		assert_string_equal(b.data, cases[i].json);
	}
	strbuf_reset(&b);
	text_add_clean(&b, "a\0b", 3);
	assert_string_equal(b.data, "a\\x00b");
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
