/* SPDX-License-Identifier: MIT */
/* Bytes of a traced process in files that other programs read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* ---- any bytes as text: valid, and the bytes can be had back ---- */

static void test_reversible(void **state)
{
	static const struct {
		const char *bytes, *text, *without_controls;
	} cases[] = {
		{"", "", ""},
		{"plain \"text\"", "plain \"text\"", "plain \"text\""},
		{"a\\b", "a\\b", "a\\b"},
		{"C:\\x41", "C:\\x5cx41", "C:\\x5cx41"},
		{"\\\\x", "\\\\x5cx", "\\\\x5cx"},
		{"\\\xff", "\\\\xff", "\\\\xff"},
		{"\xff\x80", "\\xff\\x80", "\\xff\\x80"},
		{"\x1b[2J\t\r\n", "\x1b[2J\t\r\n", "\\x1b[2J\t\\x0d\n"},
		{"\x7f\x01", "\x7f\x01", "\\x7f\\x01"},
		{"\xc2\x9b", "\xc2\x9b", "\\xc2\\x9b"},		 /* C1: CSI */
		{"\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac", /* two and three */
		 "\xc3\xa9\xe2\x82\xac"},
		{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
		{"\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf"}, /* overlong */
		{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf", "\\xe0\\x9f\\xbf"},
		{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf", "\\xf0\\x8f\\xbf\\xbf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"}, /* surrogate */
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80"},
		{"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80", "\\xf5\\x80\\x80\\x80"},
		{"\xe2\x82", "\\xe2\\x82", "\\xe2\\x82"}, /* cut */
		{"\xe2\x82z", "\\xe2\\x82z", "\\xe2\\x82z"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf text = {0};

		strbuf_puts(&text, "");
		text_add_escaped(&text, cases[i].bytes, strlen(cases[i].bytes),
				 TEXT_CONTROLS_KEPT);
		assert_string_equal(text.data, cases[i].text);
		strbuf_reset(&text);
		text_add_escaped(&text, cases[i].bytes, strlen(cases[i].bytes),
				 TEXT_CONTROLS_ESCAPED);
		assert_string_equal(text.data, cases[i].without_controls);
		strbuf_release(&text);
	}
}

/* The bytes that the text stands for. */
static void unescape(struct strbuf *to, const struct strbuf *text)
{
	unsigned byte;

	strbuf_puts(to, "");
	for (size_t i = 0; i < text->len; i++) {
		if (i + 3 < text->len && text->data[i] == '\\' &&
		    text->data[i + 1] == 'x' &&
		    sscanf(text->data + i + 2, "%2x", &byte) == 1) {
			strbuf_putc(to, (char)byte);
			i += 3;
		} else {
			strbuf_putc(to, text->data[i]);
		}
	}
}

/* All strings of three of the bytes that mean something. */
static void test_round_trip(void **state)
{
	static const char bytes[] =
		"\\x5c0f\x00\x7f\x80\xa0\xbf\xc2\xe0\xed\xf0\xf4\xff";
	const size_t n = sizeof(bytes) - 1;

	(void)state;
	for (size_t i = 0; i < n * n * n * n; i++) {
		const char s[] = {bytes[i % n], bytes[i / n % n], bytes[i / n / n % n],
				  bytes[i / n / n / n]};
		struct strbuf text = {0}, back = {0};

		strbuf_puts(&text, "");
		text_add_escaped(&text, s, sizeof(s), (enum text_controls)(i % 2));
		unescape(&back, &text);
		assert_int_equal(back.len, sizeof(s));
		assert_memory_equal(back.data, s, sizeof(s));
		strbuf_release(&text);
		strbuf_release(&back);
	}
}

static void test_hex(void **state)
{
	struct strbuf text = {0};

	(void)state;
	text_add_hex(&text, "\x00\x1f\xff", 3);
	assert_string_equal(text.data, "001fff");
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_reversible),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_hex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
