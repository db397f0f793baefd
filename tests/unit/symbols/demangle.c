/* SPDX-License-Identifier: MIT */
/*
 * C++ and Rust names: how they are written, which of them a text selects, and that
 * none takes long or is written without end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <time.h>

#include "symbols/elf/demangle.h"
#include "symbols/symbols.h"
#include "tests/unit/support/symbols_build.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/strbuf.h"

static void test_forms(void **state)
{
	static const struct {
		const char *name, *bare, *full; /* NULL: none */
	} cases[] = {
		{"_Z3fooi", "foo", "foo(int)"},
		{"_Z3fooIiEvT_", "foo<int>", "foo<int>(int)"},
		{"_ZN2ns1f1gEv", "ns::f::g", "ns::f::g()"},
		{"_ZNK1A3getEv", "A::get", "A::get() const"},
		{"_ZN1AC2Ei", "A::A", "A::A(int)"},
		{"_ZN1AD1Ev", "A::~A", "A::~A()"},
		{"_ZN1AcviEv", "A::operator int", "A::operator int()"},
		{"_ZN1AplERKS_", "A::operator+", "A::operator+(A const&)"},
		{"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f",
		 "(anonymous namespace)::f()"},
		{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()",
		 "main::{lambda()#1}::operator()() const"},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi",
		 "std::vector<int, std::allocator<int> >::push_back",
		 "std::vector<int, std::allocator<int> >::push_back(int const&)"},
		{"_Z3fooi.constprop.0", "foo", "foo(int) [clone .constprop.0]"},
		{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		 "core::fmt::Write::write_fmt", "core::fmt::Write::write_fmt"},
		{"_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo"},
		{"_RNvMCs1234_1aNtB2_1S3new", "<a::S>::new", "<a::S>::new"},
		{"", NULL, NULL},
		{"_", NULL, NULL},
		{"_Z", NULL, NULL},
		{"_R", NULL, NULL},
		{"main", NULL, NULL},
		{"_Zed", NULL, NULL},
		{"_ZN", NULL, NULL},
		{"_ZN9999999999999999999999fEv", NULL, NULL},
		{"_Runtime", NULL, NULL},
		{"_GLOBAL__sub_I_main", NULL, NULL},
	};
	struct strbuf out = {0};
	unsigned timeouts_left = 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (int form = DEMANGLE_BARE; form <= DEMANGLE_FULL; form++) {
			const char *wanted = form ? cases[i].full : cases[i].bare;
			bool is_done;

			strbuf_reset(&out);
			strbuf_puts(&out, "=");
			is_done = demangle(cases[i].name, (enum demangle_form)form,
					   &timeouts_left, &out);
			assert_int_equal(is_done, wanted != NULL);
			assert_string_equal(out.data + 1, wanted ? wanted : "");
		}
	}
	strbuf_release(&out);
}

/* ---- names that no compiler makes ---- */

/* A number with as many digits as there are. */
static void add_number(struct strbuf *name, const char *digits, size_t i)
{
	size_t base = strlen(digits);

	if (i >= base)
		add_number(name, digits, i / base);
	strbuf_putc(name, digits[i % base]);
}

static void add_reference(struct strbuf *name, unsigned i)
{
	strbuf_putc(name, 'S');
	add_number(name, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", i);
	strbuf_putc(name, '_');
}

/* pair<pair<pair<int, int>, S>, S>, each S what is before it: 2^levels integers. */
static void nest(struct strbuf *name, const char *head, unsigned levels)
{
	strbuf_reset(name);
	strbuf_printf(name, "%sSt4pairI", head);
	for (unsigned i = 1; i < levels; i++)
		strbuf_puts(name, "S_I");
	strbuf_puts(name, "iiE");
	for (unsigned i = 0; i + 1 < levels; i++) {
		add_reference(name, i);
		strbuf_putc(name, 'E');
	}
}

/* Rust's way to say the same: B and an offset in base 62. */
static void nest_rust(struct strbuf *name, unsigned levels)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t before = strlen("INvCs0_1a1f");

	strbuf_reset(name);
	strbuf_puts(name, "_RINvCs0_1a1fTllE");
	for (unsigned i = 0; i < levels; i++) {
		size_t here = name->len - 2;

		strbuf_putc(name, 'T');
		for (int k = 0; k < 2; k++) {
			strbuf_putc(name, 'B');
			add_number(name, digits, before - 1);
			strbuf_putc(name, '_');
		}
		strbuf_putc(name, 'E');
		before = here;
	}
	strbuf_putc(name, 'E');
}

/* The type of a conversion may have template arguments, or they are the operator's. */
static void nest_conversions(struct strbuf *name, unsigned levels)
{
	strbuf_reset(name);
	for (unsigned i = 0; i < levels; i++)
		strbuf_puts(name, i ? "L_ZN1AcvT_I" : "_ZN1AcvT_I");
	strbuf_puts(name, "i");
	for (unsigned i = 0; i < levels; i++)
		strbuf_puts(name, i + 1 < levels ? "EEvE" : "EEv");
}

static void repeat(struct strbuf *name, const char *head, const char *part, unsigned n)
{
	strbuf_reset(name);
	strbuf_puts(name, head);
	for (unsigned i = 0; i < n; i++)
		strbuf_puts(name, part);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void build(struct strbuf *name, int kind, unsigned n)
{
	switch (kind) {
	case 0:
		nest(name, "_Z1f", n);
		break;
	case 1:
		nest(name, "_Z1fDp", n); /* walked before a byte is written */
		break;
	case 2:
		nest_rust(name, n);
		break;
	case 3:
		nest_conversions(name, n);
		break;
	case 4:
		repeat(name, "_Z1f", "P", n);
		break;
	case 5:
		repeat(name, "_Z1fM", "M1A", n);
		break;
	case 6:
		repeat(name, "_RNv", "N", n);
		break;
	case 7:
		repeat(name, "_Z1fIXad", "sz", n);
		break;
	default:
		repeat(name, "_ZN", "1a", n);
		break;
	}
}

static void test_hostile(void **state)
{
	static const unsigned sizes[] = {1, 5, 20, 40, 60, 100, 340, 1000, 100000};
	struct strbuf name = {0}, out = {0};
	unsigned timeouts_left = 100;

	(void)state;
	for (int kind = 0; kind < 9; kind++) {
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			double start = seconds();

			build(&name, kind, sizes[i]);
			strbuf_reset(&out);
			demangle(name.data, DEMANGLE_BARE, &timeouts_left, &out);
			demangle(name.data, DEMANGLE_FULL, &timeouts_left, &out);
			if (seconds() - start > 2)
				fail_msg("kind %d, %u levels", kind, sizes[i]);
		}
	}
	assert_true(timeouts_left < 100); /* the timer was needed */
	/* what is read in time, however often others were not */
	timeouts_left = 0;
	strbuf_reset(&out);
	assert_true(demangle("_Z3fooi", DEMANGLE_FULL, &timeouts_left, &out));
	repeat(&name, "_Z1f", "i", 70);
	assert_false(demangle(name.data, DEMANGLE_FULL, &timeouts_left, &out));
	assert_string_equal(out.data, "foo(int)");
	strbuf_release(&name);
	strbuf_release(&out);
}

/* ---- which functions a text selects ---- */

static const char source[] =
	"#define KEEP __attribute__((noinline, used))\n"
	"namespace ns {\n"
	"KEEP int f(int n) { return n + 1; }\n"
	"KEEP int f(char c) { return c + 2; }\n"
	"template <class T> KEEP T twice(T t) { return t + t; }\n"
	"struct A { int n; KEEP A(int i) : n(i) {} KEEP ~A() { n = 0; }\n"
	"  KEEP int operator+(int i) const { return n + i; } };\n"
	"}\n"
	"namespace { KEEP int hidden(int n) { return n * 7; } }\n"
	"KEEP int top(int n) { return n - 1; }\n"
	"extern \"C\" KEEP int plain(int n) { return n * 2; }\n"
	"KEEP int plain(double) { return 3; }\n"
	"int main() { ns::A a(4); return ns::f(1) + ns::f('c') + ns::twice(4) +\n"
	"  (int)ns::twice(2.5) + (a + 3) + hidden(2) + top(3) + plain(3) + plain(1.5); "
	"}\n";

static struct module *build_names(void)
{
	struct module *m;
	struct err e;

	write_file("names.cpp", source, strlen(source));
	assert_true(shell("g++ -O1 -o names names.cpp"));
	assert_int_equal(module_read_file(in_dir("names"), 0x1000, &m, &e), 0);
	assert_int_equal(module_load_symbols(m, &e), 0);
	return m;
}

static void count(void *ctx, const struct symbol *s)
{
	(void)s;
	++*(size_t *)ctx;
}

static void test_selection(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		const char *first; /* one of what it selects, by the file's name */
	} cases[] = {
		{"ns::f", 2, NULL},
		{"ns::f(int)", 1, "_ZN2ns1fEi"},
		{"f", 0, NULL},
		{"top", 1, "_Z3topi"},
		{"_Z3topi", 1, "_Z3topi"},
		{"plain", 1, "plain"}, /* the file's name comes first */
		{"plain(double)", 1, "_Z5plaind"},
		{"ns::twice<int>", 1, "_ZN2ns5twiceIiEET_S1_"},
		{"ns::twice", 2, NULL},		 /* all instances */
		{"ns::A::A", 1, "_ZN2ns1AC1Ei"}, /* C1 and C2 are one */
		{"ns::A::~A()", 1, "_ZN2ns1AD1Ev"},
		{"ns::A::operator+", 1, "_ZNK2ns1AplEi"},
		{"(anonymous namespace)::hidden", 1, "_ZN12_GLOBAL__N_16hiddenEi"},
		{"ns::missing", 0, NULL},
		{"*ns?f*", 2, NULL},
		{"ns\\:\\:f", 2, NULL},
		{"*twice<*>", 2, NULL},
		{"*twice*(double)", 1, "_ZN2ns5twiceIdEET_S1_"},
		{"_ZN2ns*", 6, NULL},
		{"ns::*", 7, NULL},
		{"plain*", 2, NULL},
		{"*hidden", 1, "_ZN12_GLOBAL__N_16hiddenEi"},
	};
	struct module *m = build_names();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = 0, told;

		told = glob_is_pattern(cases[i].text)
			       ? module_match(m, cases[i].text, count, &n)
			       : module_select(m, cases[i].text, count, &n);
		assert_int_equal(told, n);
		if (n != cases[i].n)
			fail_msg("'%s' selects %zu", cases[i].text, n);
		if (cases[i].first)
			assert_non_null(module_find(m, cases[i].first));
	}
	assert_string_equal(symbol_demangled(m, module_find(m, "_Z3topi")), "top(int)");
	assert_null(symbol_demangled(m, module_find(m, "plain")));
	module_free(m);
}

static void test_nearest(void **state)
{
	struct module *m = build_names();
	const char *out[2];

	(void)state;
	assert_true(module_nearest(m, "ns::twise<int>", out, 2) >= 1);
	assert_string_equal(out[0], "ns::twice<int>");
	assert_true(module_nearest(m, "tpo", out, 2) >= 1);
	assert_string_equal(out[0], "top");
	module_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
