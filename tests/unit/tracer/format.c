/* SPDX-License-Identifier: MIT */
/* printf() and trace() of one record each, quiet. */
#include "tests/unit/support/tracer_rig.h"

struct printf_case {
	const char *format;
	struct rig_value values[6];
	const char *expected;
};

static const float quarter = 0.25f;
static const double pi = 3.14159265358979, large = 1e100, minus = -1.5;
static const long double tenth = 0.1L, huge = 1e4000L;
static const uint32_t wide[] = {'a', 0xe9, 0x20ac, 0, 'x'};

static const struct printf_case cases[] = {
	/* The worked examples. */
	{"hi\n", {{0}}, "hi\n"},
	{"%d %d %u %x\n",
	 {UINT(1, 200), INT(1, -56), INT(1, -56), INT(1, -56)},
	 "200 -56 200 c8\n"},
	{"[%5d][%-5d][%05d][%+d][%#x]\n",
	 {INT(4, 42), INT(4, 42), INT(4, 42), INT(4, 42), INT(4, 255)},
	 "[   42][42   ][00042][+42][0xff]\n"},
	{"%.3s|%6s|%-6s|%.0s|\n",
	 {STR("abcdef"), STR("abc"), STR("abc"), STR("abc")},
	 "abc|   abc|abc   |abc|\n"},
	{"%#s|%#12s|%#-12s|%#.2s\n",
	 {STR("a\033b\n"), STR("\177x"), STR("\177x"), STR("a\tb")},
	 "a\\033b\\012|       \\177x|\\177x       |a\\011\n"},
	{"%s|%#s\n", {STR("\033\r"), STR("caf\303\251")}, "\033\r|caf\303\251\n"},
	{"<%*d><%-*d>\n",
	 {INT(4, 6), INT(4, 5), INT(4, 6), INT(4, 5)},
	 "<     5><5     >\n"},
	{"%x %d %d\n", {UINT(2, 0x2345), INT(1, -1), INT(2, -16)}, "2345 -1 -16\n"},
	/* Size and sign. */
	{"%d %i %u",
	 {UINT(2, 0xffff), UINT(2, 0xffff), UINT(2, 0xffff)},
	 "65535 -1 65535"},
	{"%d %i %u", {INT(2, -1), INT(2, -1), INT(2, -1)}, "-1 -1 65535"},
	{"%u %x", {INT(1, -17), INT(1, -17)}, "239 ef"},
	{"%d %u %x %o",
	 {INT(4, -1), INT(4, -1), INT(4, -1), INT(4, -1)},
	 "-1 4294967295 ffffffff 37777777777"},
	{"%d %i %u %X",
	 {INT(8, INT64_MIN), UINT(8, UINT64_MAX), INT(8, -1), INT(8, -1)},
	 "-9223372036854775808 -1 18446744073709551615 FFFFFFFFFFFFFFFF"},
	{"%hd %ld %lld %lx",
	 {INT(2, -2), INT(8, -2), INT(8, -2), INT(8, -2)},
	 "-2 -2 -2 fffffffffffffffe"},
	/* Flags, width and precision. */
	{"[%+d][% d][%+i][% i]",
	 {INT(4, -1), INT(4, 1), INT(4, 0), INT(4, -1)},
	 "[-1][ 1][+0][-1]"},
	{"[%+u][% x][%#x][%#x]",
	 {INT(4, 1), INT(4, 1), INT(4, 0), INT(4, 16)},
	 "[1][1][0][0x10]"},
	{"[%#X][%#o][%#o][%#.4o]",
	 {INT(4, 255), INT(4, 8), INT(4, 0), INT(4, 8)},
	 "[0XFF][010][0][0010]"},
	{"[%08x][%#08x][%-08d][%08.3d]",
	 {INT(4, 255), INT(4, 255), INT(4, 5), INT(4, 5)},
	 "[000000ff][0x0000ff][5       ][     005]"},
	{"[%5.3d][%-7.3d][%.0d][%0d]",
	 {INT(4, -5), INT(4, 5), INT(4, 0), INT(4, 7)},
	 "[ -005][005    ][0][7]"},
	{"[%?x][%?p]",
	 {INT(8, 255), INT(8, 16)},
	 "[              ff][              10]"},
	/* Fewer values than conversions: only a spoilt record has that. */
	{"[%d][%d]", {INT(4, 5)}, NULL},
	{"[%*d][%.*d]", {INT(4, -4), INT(4, 5), INT(4, 3), INT(4, 5)}, "[5   ][005]"},
	{"[%.*s][%*s]", {INT(4, 2), STR("abc"), INT(4, 5), STR("abc")}, "[ab][  abc]"},
	{"[%.*s][%.*d]", {INT(4, 0), STR("abc"), INT(4, -3), INT(4, 4)}, "[abc][4]"},
	{"[%'d]", {INT(4, 1234567)}, "[1234567]"},
	/* Floating point. */
	{"[%f][%lf][%Lf]",
	 {FLOAT(quarter), FLOAT(pi), FLOAT(tenth)},
	 "[0.250000][3.141593][0.100000]"},
	{"[%e][%E][%g][%G]",
	 {FLOAT(pi), FLOAT(large), FLOAT(large), FLOAT(large)},
	 "[3.141593e+00][1.000000E+100][1e+100][1E+100]"},
	{"[%8.2f][%-8.2f][%08.2f][%+.1f][% .1f]",
	 {FLOAT(pi), FLOAT(pi), FLOAT(minus), FLOAT(pi), FLOAT(pi)},
	 "[    3.14][3.14    ][-0001.50][+3.1][ 3.1]"},
	{"[%*.*f][%.0f][%#.3g]",
	 {INT(4, 6), INT(4, 1), FLOAT(pi), FLOAT(pi), FLOAT(quarter)},
	 "[   3.1][3.141593][0.250]"},
	{"%Lg", {FLOAT(huge)}, "1e+4000"},
	/* Wide text. */
	{"[%ls][%ws][%6ls][%.2ls]",
	 {WIDE(5, wide), WIDE(2, wide), WIDE(1, wide), WIDE(1, wide)},
	 "[a\xc3\xa9\xe2\x82\xac][a\xc3\xa9][     a][a]"},
	/* Characters. */
	{"[%c][%3c][%-3c]", {INT(1, 'a'), INT(1, 'b'), INT(4, 'c')}, "[a][  b][c  ]"},
	{"%wc%lc%wc",
	 {INT(4, 'a'), INT(4, 0xe9), INT(4, 0x20ac)},
	 "a\xc3\xa9\xe2\x82\xac"},
	{"%wc%wc", {INT(4, 0x1f600), INT(4, 0xd800)}, "\xf0\x9f\x98\x80\xef\xbf\xbd"},
	{"[%C][%C][%C][%C]",
	 {INT(4, 'a'), INT(4, '\n'), INT(4, 0), INT(4, 0x6162)},
	 "[a][\\n][\\0][ab]"},
	{"[%C][%C][%5C]",
	 {INT(1, -1), INT(4, 27), INT(4, '\t')},
	 "[\\377][\\033][   \\t]"},
	/* Text. */
	{"[%s][%5.2s]", {STR(""), STR("abc")}, "[][   ab]"},
	{"%S",
	 {STR("a\tb\"c\\\n\a\b\f\r\v\x01\xff")},
	 "a\\tb\\\"c\\\\\\n\\a\\b\\f\\r\\v\\001\\377"},
	{"[%8S][%-4S][%.2S]",
	 {STR("\n"), STR("a"), STR("abc")},
	 "[      \\n][a   ][ab]"},
	{"[%s][%ws]", {BYTES(5, "ab\0cd"), BYTES(3, "xyz")}, "[ab][xyz]"},
	{"[%d]", {STR("text")}, "[text]"},
	/* One word for a shell. */
	{"%q %q %q", {STR("plain"), STR("it's"), STR("")}, "'plain' 'it'\\''s' ''"},
	{"%q", {STR("$(id) `id` \\ \"\n;")}, "'$(id) `id` \\ \"\n;'"},
	{"%q|%q", {STR("'"), STR("''")}, "''\\'''|''\\'''\\'''"},
	{"[%8q][%-8q][%.2q][%8.2q]",
	 {STR("abc"), STR("abc"), STR("a'c"), STR("abc")},
	 "[   'abc']['abc'   ]['a'\\'''][    'ab']"},
	{"[%q]", {BYTES(5, "ab\0;d")}, "['ab']"},
	/* Addresses and times. */
	{"%p %p %#p",
	 {UINT(8, 0xdeadbeef), UINT(4, 255), UINT(8, 1)},
	 "deadbeef ff 0x1"},
	{"[%a][%A][%6a]",
	 {UINT(8, 0x1234), UINT(8, 0), UINT(8, 1)},
	 "[0x1234][0x0][   0x1]"},
	{"%Y", {UINT(8, UINT64_C(86400) * 1000000000)}, "1970 Jan  2 00:00:00"},
	{"%T",
	 {UINT(8, UINT64_C(1075035600) * 1000000000)},
	 "Sun, 25 Jan 2004 13:00:00 UTC"},
	{"[%22Y]", {UINT(8, 0)}, "[  1970 Jan  1 00:00:00]"},
	/* Text that is no conversion. */
	{"100%% %%d %%", {{0}}, "100% %d %"},
	{"%", {{0}}, "%"},
	{"a%5", {{0}}, "a%5"},
	{"%z %1$d %d", {INT(4, 3)}, "%z %1$d 3"},
};

static void run_case(const struct printf_case *c)
{
	struct rig *r = rig_new();

	probes_enable(&r->probes, PROBE_BEGIN, rig_clause(r));
	rig_action(r, ACTION_printf, c->format, c->values, NULL);
	rig_end(r);
	rig_options(r, "quiet");
	rig_start(r);
	rig_fire(r, 0, PROBE_BEGIN);
	assert_int_equal(rig_pass(r, 0), 0);
	if (c->expected) {
		assert_string_equal(rig_out(r), c->expected);
		assert_string_equal(rig_err(r), "");
	} else {
		assert_string_equal(rig_err(r),
				    "dtrace: malformed record of probe ID 1\n");
	}
	rig_free(r);
}

static void test_printf(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		run_case(&cases[i]);
}

/* Widths and precisions have no limit that a script meets. */
static void test_wide(void **state)
{
	static const struct {
		const char *format;
		struct rig_value values[3];
		size_t columns;
	} rows[] = {
		{"%200000d", {INT(4, 1)}, 200000},
		{"%.70000d", {INT(4, 1)}, 70000},
		{"%1000000s", {STR("x")}, 1000000},
		{"%*d", {INT(4, 100000), INT(4, 1)}, 100000},
		{"%.*d", {INT(4, 100000), INT(4, 1)}, 100000},
		/* The value of a * may come from the target. */
		{"%*d", {INT(4, INT32_MAX), INT(4, 1)}, 1000000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rig *r = rig_new();

		probes_enable(&r->probes, PROBE_BEGIN, rig_clause(r));
		rig_action(r, ACTION_printf, rows[i].format, rows[i].values, NULL);
		rig_end(r);
		rig_options(r, "quiet");
		rig_start(r);
		rig_fire(r, 0, PROBE_BEGIN);
		assert_int_equal(rig_pass(r, 0), 0);
		assert_int_equal(strlen(rig_out(r)), rows[i].columns);
		rig_free(r);
	}
}

#define DUMP_HEAD                                                                      \
	"\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  "              \
	"0123456789abcdef\n"

static void test_trace(void **state)
{
	static const struct {
		const char *options;
		struct rig_value values[6];
		const char *expected;
	} traces[] = {
		{"",
		 {INT(1, 65), INT(2, -2), INT(4, -2), INT(8, -2)},
		 "  65    -2       -2               -2"},
		{"",
		 {INT(1, -2), UINT(4, 0xffffffff), INT(8, 4294967295)},
		 "  -2 4294967295       4294967295"},
		{"",
		 {STR("ab"), INT(4, 7)},
		 "  ab"
		 "                               "
		 "        7"},
		{"", {STR("")}, "                                   "},
		{"",
		 {STR("a string of more than thirty-three bytes")},
		 "  a string of more than thirty-three bytes"},
		{"quiet",
		 {INT(4, 1), STR("a"), INT(8, 2), INT(1, -2), INT(2, -2)},
		 "1a2-2-2"},
		{"quiet", {BYTES(4, "ab\0\0")}, "ab"},
		{"quiet", {BYTES(2, "ab")}, "  ab                               "},
		{"quiet", {BYTES(6, "hello\0")}, "hello"},
		{"", {BYTES(6, "hello\0")}, "  hello                            "},
		{"", {BYTES(4, "a\b\a\n")}, "  a\\010\\007\n                       "},
		{"quiet rawbytes",
		 {BYTES(6, "hello\0")},
		 DUMP_HEAD
		 "         0: 68 65 6c 6c 6f 00                                "
		 "hello.\n"},
		{"quiet rawbytes",
		 {STR("hello")},
		 DUMP_HEAD
		 "         0: 68 65 6c 6c 6f                                   "
		 "hello\n"},
		{"quiet",
		 {BYTES(5, "\0hel\1")},
		 DUMP_HEAD
		 "         0: 00 68 65 6c 01                                   "
		 ".hel.\n"},
		{"quiet",
		 {BYTES(18, "0123456789abcdef\x7f\x01")},
		 DUMP_HEAD
		 "         0: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  "
		 "0123456789abcdef\n"
		 "        10: 7f 01                                            "
		 "..\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(traces); i++) {
		struct rig *r = rig_new();
		const char *out;

		probes_enable(&r->probes, PROBE_BEGIN, rig_clause(r));
		rig_action(r, ACTION_trace, NULL, traces[i].values, NULL);
		rig_end(r);
		rig_options(r, traces[i].options);
		rig_start(r);
		rig_fire(r, 0, PROBE_BEGIN);
		assert_int_equal(rig_pass(r, 0), 0);
		out = rig_out(r);
		if (!r->options.quiet) {
			out = strstr(out, ":BEGIN ");
			assert_non_null(out);
			out += strlen(":BEGIN ");
			assert_int_equal(out[strlen(out) - 1], '\n');
			((char *)(uintptr_t)out)[strlen(out) - 1] = '\0';
		}
		assert_string_equal(out, traces[i].expected);
		rig_free(r);
	}
}

/* Numbers that end anywhere in the buffer of the output. */
static void test_many_numbers(void **state)
{
	const struct rig_value values[] = {
		INT(8, -1234567890123456789), UINT(2, 77), {0}};
	const char expected[] = "-1234567890123456789,77,4d\n";
	const size_t lines = 3 * OUT_BUFFER / (sizeof(expected) - 1);
	struct rig *r = rig_new();
	const char *out;

	(void)state;
	r->bufsize = 4 << 20;
	probes_enable(&r->probes, PROBE_BEGIN, rig_clause(r));
	rig_action(r, ACTION_printf, "%d,%u,", values, NULL);
	rig_action(r, ACTION_printf, "%x\n", &values[1], NULL);
	rig_end(r);
	rig_options(r, "quiet");
	rig_start(r);
	for (size_t i = 0; i < lines; i++)
		rig_fire(r, 0, PROBE_BEGIN);
	assert_int_equal(rig_pass(r, 0), 0);
	out = rig_out(r);
	assert_int_equal(strlen(out), lines * (sizeof(expected) - 1));
	for (size_t i = 0; i < lines; i++, out += sizeof(expected) - 1)
		assert_memory_equal(out, expected, sizeof(expected) - 1);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printf),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_many_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
