/* SPDX-License-Identifier: MIT */
/*
 * Types of small objects, as compilers write them with different options: each
 * must read the same. Then the same files damaged: whatever the bytes are, every
 * question gets an answer in the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>

#include "symbols/types.h"
#include "tests/unit/support/symbols_build.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

static const char source[] =
	"struct point { int x, y; };\n"
	"typedef struct point point_t;\n"
	"typedef unsigned long size_type;\n"
	"enum color { RED, GREEN = 5, BLUE = -2 };\n"
	"enum big { SMALL = 200, LARGE = 0xffffffff };\n"
	"union number { char c; double d; long double l; };\n"
	"struct flags { unsigned a : 3; int b : 5; unsigned c : 30; long d : 33; };\n"
	"struct __attribute__((packed)) tight { char c; int i; unsigned b : 12; };\n"
	"struct item { const char *name; point_t at; struct item *next;\n"
	"  int m[2][3]; struct { int in; union { short h; int w; }; };\n"
	"  int (*call)(int); _Bool is; struct hidden *hidden; volatile int *const v;\n"
	"  char text[]; };\n"
	"struct three { float f, g; long n; };\n"
	"struct large { long v[3]; };\n"
	"struct item item; struct flags flags; struct tight tight; enum big big;\n"
	"union number number; size_type size; static int hidden_variable = 4;\n"
	"_Thread_local int own; extern int elsewhere;\n"
	"__attribute__((noinline)) int plain(int a, point_t *p, enum color c)\n"
	"{ return a + p->x + c + hidden_variable++; }\n"
	"double floats(float f, int a, double d, long b) { return f + a + d + b; }\n"
	"int structs(point_t p, struct three t, struct large l, int after)\n"
	"{ return p.x + (int)t.n + (int)l.v[0] + after; }\n"
	"struct large result(int a) { struct large l = {{a}}; return l; }\n"
	"struct three pieces(void) { struct three t = {1, 2, 3}; return t; }\n"
	"long many(int a, int b, int c, int d, int e, int f, short g, long double h,\n"
	"  int i) { return a + b + c + d + e + f + g + (long)h + i; }\n"
	"long full(int a, int b, int c, int d, int e, point_t p, point_t q)\n"
	"{ return a + b + c + d + e + p.x + q.y; }\n"
	"void nothing(int n, ...) { (void)n; }\n"
	"typedef float four __attribute__((vector_size(16)));\n"
	"double pairs(double _Complex z, int a, float _Complex w, double d)\n"
	"{ return __real__ z + a + __imag__ w + d; }\n"
	"four wide(four v, double d, __float128 q, float f, int a)\n"
	"{ v[0] += d + (double)q + f + a; return v; }\n"
	"float ninth(double a, double b, double c, double d, double e, double f,\n"
	"  double g, float h, int n, double i, float j, double _Complex k, short s)\n"
	"{ return a + b + c + d + e + f + g + h + n + i + j + __real__ k + s; }\n"
	"long sixteen(__int128 a, int b, int c, int d, __int128 e, int f)\n"
	"{ return (long)(a + b + c + d + e + f); }\n"
	"long double extended(long double l, int a) { return l + a; }\n"
	"__attribute__((noinline, cold, noreturn)) void fail(int n)\n"
	"{ for (;;) __asm__ volatile(\"\" : : \"r\"(n)); }\n"
	"long split(short a, char *b, double c)\n"
	"{ if (a == 77) { hidden_variable = 3; fail(a); } return a + *b + (long)c; "
	"}\n" MAIN_WAITS;

/* ---- types as text ---- */

struct description {
	struct module_types *mt;
	struct strbuf *out;
};

static void describe(struct module_types *mt, uint64_t ref, bool in_full,
		     struct strbuf *out);

static void describe_member(void *ctx, const struct target_member *m)
{
	struct description *d = ctx;

	if (m->nbits)
		strbuf_printf(d->out, " %s:%u@%llu", m->name, m->nbits,
			      (unsigned long long)m->bit);
	else
		strbuf_printf(d->out, " %s@%llu", m->name,
			      (unsigned long long)m->offset);
	strbuf_putc(d->out, ' ');
	describe(d->mt, m->type, !*m->name, d->out);
	strbuf_putc(d->out, ';');
}

static void describe_value(void *ctx, const struct target_member *m)
{
	struct description *d = ctx;

	strbuf_printf(d->out, " %s=%lld", m->name, (long long)m->value);
}

static void describe_tagged(struct module_types *mt, uint64_t ref,
			    const struct target_type *t, struct strbuf *out)
{
	struct description d = {mt, out};

	strbuf_printf(out, "{%llu", (unsigned long long)t->size);
	if (!t->is_complete)
		strbuf_puts(out, " declared");
	module_types_members(
		mt, ref, t->kind == TARGET_ENUM ? describe_value : describe_member, &d);
	strbuf_puts(out, " }");
}

static void describe(struct module_types *mt, uint64_t ref, bool in_full,
		     struct strbuf *out)
{
	static const char *const words[] = {[TARGET_STRUCT] = "struct ",
					    [TARGET_UNION] = "union ",
					    [TARGET_ENUM] = "enum "};
	static unsigned depth; /* damaged chains may have no end */
	struct target_type t;

	if (depth > 40)
		return;
	depth++;
	ref = module_types_definition(mt, ref);
	module_types_get(mt, ref, &t);
	switch (t.kind) {
	case TARGET_VOID:
		strbuf_puts(out, "void");
		break;
	case TARGET_POINTER:
		strbuf_putc(out, '*');
		describe(mt, t.base, false, out);
		break;
	case TARGET_ARRAY:
		for (uint32_t i = 0; i < t.ndims; i++)
			strbuf_printf(out, "[%llu]", (unsigned long long)t.dims[i]);
		describe(mt, t.base, false, out);
		break;
	case TARGET_FUNCTION:
		strbuf_puts(out, "function");
		break;
	case TARGET_QUALIFIED:
		strbuf_printf(out, "%s ", t.name ? t.name : "");
		describe(mt, t.base, false, out);
		break;
	case TARGET_ALIAS:
		strbuf_puts(out, t.name ? t.name : "?");
		if (!in_full)
			break;
		strbuf_puts(out, " = ");
		describe(mt, t.base, false, out);
		break;
	case TARGET_STRUCT:
	case TARGET_UNION:
	case TARGET_ENUM:
		strbuf_printf(out, "%s%s", words[t.kind], t.name ? t.name : "");
		if (in_full || !t.name)
			describe_tagged(mt, ref, &t, out);
		break;
	default:
		strbuf_printf(out, "%s%c%llu",
			      t.kind == TARGET_INT     ? ""
			      : t.kind == TARGET_FLOAT ? "float:"
						       : "opaque:",
			      t.is_signed ? 's' : 'u', (unsigned long long)t.size);
	}
	depth--;
}

static uint64_t find_type(struct module_types *mt, enum target_kind kind,
			  const char *name)
{
	struct target_search s = {.kind = kind, .name = name};
	uint64_t ref;

	return module_types_find(mt, &s, &ref) == 0 ? ref : 0;
}

static void assert_type(struct module_types *mt, enum target_kind kind,
			const char *name, const char *expected)
{
	struct strbuf out = {0};
	uint64_t ref = find_type(mt, kind, name);

	strbuf_reset(&out);
	if (ref)
		describe(mt, ref, true, &out);
	assert_string_equal(out.data, expected);
	strbuf_release(&out);
}

static const struct {
	enum target_kind kind;
	const char *name, *expected;
} types[] = {
	{TARGET_STRUCT, "point", "struct point{8 x@0 s4; y@4 s4; }"},
	{TARGET_ALIAS, "point_t", "point_t = struct point"},
	{TARGET_ALIAS, "size_type", "size_type = u8"},
	{TARGET_ALIAS, "int", "s4"},
	{TARGET_ENUM, "color", "enum color{4 RED=0 GREEN=5 BLUE=-2 }"},
	{TARGET_ENUM, "big", "enum big{4 SMALL=200 LARGE=4294967295 }"},
	{TARGET_UNION, "number",
	 "union number{16 c@0 s1; d@0 float:u8; l@0 float:u16; }"},
	{TARGET_STRUCT, "flags",
	 "struct flags{16 a:3@0 u4; b:5@3 s4; c:30@32 u4; d:33@64 s8; }"},
	{TARGET_STRUCT, "tight", "struct tight{7 c@0 s1; i@1 s4; b:12@40 u4; }"},
	{TARGET_STRUCT, "item",
	 "struct item{88 name@0 *const s1; at@8 point_t; next@16 *struct item; "
	 "m@24 [2][3]s4; @48 struct {8 in@0 s4; @4 union {4 h@0 s2; w@0 s4; }; }; "
	 "call@56 *function; is@64 u1; hidden@72 *struct hidden; "
	 "v@80 const *volatile s4; text@88 [0]s1; }"},
	{TARGET_STRUCT, "nonesuch", ""},
	{TARGET_ALIAS, "point", ""},
	{TARGET_UNION, "point", ""},
};

static const struct {
	const char *args;
	bool is_clang;
} builds[] = {
	{"-g -O0", false},
	{"-gdwarf-5 -O2", false},
	{"-gdwarf-4 -O2", false},
	{"-gdwarf-3 -gstrict-dwarf -O2", false},
	{"-gdwarf-2 -gstrict-dwarf -O1", false},
	{"-gdwarf-5 -gz -O2", false},
	{"-gdwarf-4 -gz=zlib-gnu -O2", false},
	{"-gdwarf-5 -fdebug-types-section -O2", false},
	{"-gdwarf-4 -fdebug-types-section -O2", false},
	{"-g -O2 -no-pie -fno-pie", false},
	{"-gdwarf-5 -O1", true},
	{"-gdwarf-4 -O1", true},
	{"-gdwarf-5 -gsplit-dwarf -O2", false},
	{"-gdwarf-4 -gsplit-dwarf -O2", false},
	{"-gdwarf-5 -gsplit-dwarf -fdebug-types-section -gz -O2", false},
	{"-gdwarf-4 -gsplit-dwarf -fdebug-types-section -O2", false},
	{"-gdwarf-5 -gsplit-dwarf -O1", true},
	{"-gdwarf-4 -gsplit-dwarf -O1", true},
};

static bool build(const char *args, bool is_clang)
{
	char command[512];

	write_file("typed.c", source, strlen(source));
	snprintf(command, sizeof(command), "%s -o typed typed.c -w %s",
		 is_clang ? "clang" : "cc", args);
	return shell(command);
}

static bool has_clang(void)
{
	return system("command -v clang >/dev/null 2>&1") == 0;
}

static struct module_types *open_types(const char *name, struct module **m)
{
	struct module_types *mt;
	struct err e;

	assert_int_equal(module_read_file(in_dir(name), 0, m, &e), 0);
	if (module_types_open(*m, &mt, &e))
		fail_msg("%s", e.text);
	return mt;
}

static void test_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(builds); i++) {
		struct module *m;
		struct module_types *mt;

		if (builds[i].is_clang && !has_clang())
			continue;
		assert_true(build(builds[i].args, builds[i].is_clang));
		print_message("%s\n", builds[i].args);
		mt = open_types("typed", &m);
		for (size_t k = 0; k < ARRAY_LEN(types); k++)
			assert_type(mt, types[k].kind, types[k].name,
				    types[k].expected);
		module_types_close(mt);
		module_free(m);
	}
}

/* ---- functions ---- */

static void describe_node(const struct where *w, uint16_t n, struct strbuf *out)
{
	static const char *const names[] = {"rax", "rdx", "rcx", "rbx", "rsi",
					    "rdi", "rbp", "rsp", "r8",	"r9"};
	const struct where_node *node = &w->nodes[n];
	uint64_t offset = 0;

	for (; node->op == WHERE_ADD && w->nodes[node->b].op == WHERE_CONST;
	     node = &w->nodes[node->a])
		offset += w->nodes[node->b].n;
	if (node->op != WHERE_REGISTER)
		strbuf_puts(out, "?");
	for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
		if (node->op == WHERE_REGISTER && regs_ureg_of_dwarf(i) == node->n)
			strbuf_puts(out, names[i]);
	if (offset)
		strbuf_printf(out, "+%lld", (long long)offset);
}

static void describe_where(const struct where *w, struct strbuf *out)
{
	for (uint32_t i = 0; i < w->npieces; i++) {
		const struct where_piece *p = &w->pieces[i];

		/* gcc splits structs: the other half is computed from the register */
		if (i && p->kind == WHERE_VALUE &&
		    w->nodes[p->node].op != WHERE_REGISTER)
			continue;
		strbuf_puts(out, i ? "," : " ");
		if (p->kind == WHERE_GONE)
			strbuf_puts(out, "-");
		else if (p->kind == WHERE_VECTOR)
			strbuf_printf(out, "xmm%u", p->node);
		else if (p->kind == WHERE_VALUE)
			describe_node(w, p->node, out);
		else {
			strbuf_putc(out, '[');
			describe_node(w, p->node, out);
			strbuf_putc(out, ']');
		}
	}
}

static void describe_function(struct module_types *mt, const struct module *m,
			      const char *name, struct strbuf *out)
{
	const struct symbol *s = module_find(m, name);
	struct module_cfi_rows rows = {0};
	struct target_spot spot = {.rows = &rows, .is_entry = true, .is_edge = true};
	struct target_function f;
	struct where where;
	struct err e;

	strbuf_reset(out);
	assert_non_null(s);
	if (!module_types_function(mt, s->value, REGS_CONVENTION_C, &f))
		return;
	assert_int_equal(module_read_cfi_rows(m, &rows, &e), 0);
	spot.value = spot.lo = s->value;
	spot.hi = s->value + s->size;
	spot.base = m->lo.v - m->bias;
	spot.is_local = !symbol_is_global(s);
	describe(mt, f.result.type, false, out);
	module_types_result(mt, &spot, &where);
	describe_where(&where, out);
	strbuf_puts(out, " (");
	for (uint32_t i = 0; i < f.nparams; i++) {
		const struct target_param *p = &f.params[i];

		strbuf_printf(out, "%s%s", i ? " " : "", p->name ? p->name : "-");
		module_types_parameter(mt, &spot, i, &where);
		describe_where(&where, out);
	}
	strbuf_putc(out, ')');
	vec_release(&rows);
}

static const struct {
	const char *name, *expected;
} functions[] = {
	{"plain", "s4 rax (a rdi p rsi c rdx)"},
	{"floats", "float:u8 xmm0 (f xmm0 a rdi d xmm1 b rsi)"},
	/* point takes one integer register, three one of each kind */
	{"structs", "s4 rax (p rdi t xmm0,rsi l [rsp+8] after rdx)"},
	{"result", "struct large [rax] (a rsi)"},
	{"pieces", "struct three xmm0,rax ()"},
	/* on the stack g takes a word, h begins at an even one and takes two */
	{"many", "s8 rax (a rdi b rsi c rdx d rcx e r8 f r9 g [rsp+8] h [rsp+24] "
		 "i [rsp+40])"},
	{"full", "s8 rax (a rdi b rsi c rdx d rcx e r8 p r9 q [rsp+8])"},
	{"nothing", "void - (n rdi)"},
	{"pairs", "float:u8 xmm0 (z xmm0,xmm1 a rdi w xmm2 d xmm3)"},
	{"ninth", "float:u4 xmm0 (a xmm0 b xmm1 c xmm2 d xmm3 e xmm4 f xmm5 g xmm6 "
		  "h xmm7 n rdi i [rsp+8] j [rsp+16] k [rsp+24] s rsi)"},
	{"wide", "four - (v - d xmm1 q - f xmm3 a rdi)"},
	{"extended", "float:u16 - (l [rsp+8] a rdi)"},
	{"sixteen", "s8 rax (a rdi,rsi b rdx c rcx d r8 e [rsp+8] f r9)"},
	/* its cold part is elsewhere where the compiler optimizes */
	{"split", "s8 rax (a rdi b rsi c xmm0)"},
	{"main", "s4 rax ()"},
};

static void test_functions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(builds); i++) {
		struct strbuf out = {0};
		struct module *m;
		struct module_types *mt;
		struct err e;

		if (builds[i].is_clang && !has_clang())
			continue;
		assert_true(build(builds[i].args, builds[i].is_clang));
		mt = open_types("typed", &m);
		assert_int_equal(module_load_symbols(m, &e), 0);
		if (strstr(builds[i].args, "-O2"))
			assert_true(m->nparts > 0);
		for (size_t k = 0; k < ARRAY_LEN(functions); k++) {
			/*
			 * clang before 18 splits what does not fit, unlike the ABI; it
			 * passes no member that is not read
			 */
			if (builds[i].is_clang &&
			    (!strcmp(functions[k].name, "sixteen") ||
			     !strcmp(functions[k].name, "full") ||
			     !strcmp(functions[k].name, "pairs")))
				continue;
			describe_function(mt, m, functions[k].name, &out);
			assert_string_equal(out.data, functions[k].expected);
		}
		strbuf_release(&out);
		module_types_close(mt);
		module_free(m);
	}
}

static void test_variables(void **state)
{
	static const struct {
		const char *name;
		int rc;
	} cases[] = {
		{"item", 0},
		{"hidden_variable", 0},
		{"own", STATUS_UNSUP},
		{"elsewhere", STATUS_NOENT},
		{"nonesuch", STATUS_NOENT},
		{"plain", STATUS_NOENT},
	};
	uint64_t type, value;
	struct module_types *mt;
	struct module *m;
	struct err e;
	taddr any;

	(void)state;
	assert_true(build("-g -O1", false));
	mt = open_types("typed", &m);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(module_types_variable(
					 mt,
					 &(struct target_search){.name = cases[i].name},
					 &type, &value, &e),
				 cases[i].rc);
		if (cases[i].rc)
			continue;
		assert_int_equal(module_lookup_any(m, cases[i].name, &any), 0);
		assert_int_equal(value, any.v);
	}
	module_types_close(mt);
	module_free(m);
}

/* ---- C++ ---- */

static const char cpp_source[] =
	"struct base { int b; virtual ~base() {} };\n"
	"struct other { char o; };\n"
	"class derived : public base, public other { public: int d; static int s;\n"
	"  int get(int n) const; enum class kind : unsigned char { A, B = 200 };\n"
	"  kind k; int &ref; int derived::*pm; derived(int &r) : ref(r) {} };\n"
	"int derived::s = 3;\n"
	"namespace inner { struct deep { long v; }; struct base { char c; };\n"
	"  int count = 4; int function(deep *p) { return (int)p->v + count; } }\n"
	"int derived::get(int n) const { return d + n; }\n"
	"int by_value(derived d, int n) { return d.d + n; }\n"
	"derived global(derived::s);\n"
	"int main() { inner::deep x = {1}; return inner::function(&x) + "
	"global.get(1) + by_value(global, 2); }\n";

static void test_cpp(void **state)
{
	static const struct {
		enum target_kind kind;
		const char *name, *expected;
	} cases[] = {
		{TARGET_STRUCT, "derived",
		 "struct derived{40 @0 struct base{16 _vptr.base@0 **function; b@8 "
		 "s4; }; @12 struct other{1 o@0 s1; }; d@16 s4; k@20 enum kind; ref@24 "
		 "*s4; pm@32 opaque:u8; }"},
		{TARGET_STRUCT, "deep", "struct deep{8 v@0 s8; }"},
	};
	struct strbuf out = {0};
	struct module_types *mt;
	struct module *m;
	struct err e;

	(void)state;
	write_file("cpp.cc", cpp_source, strlen(cpp_source));
	for (int version = 4; version <= 5; version++) {
		assert_true(shell(
			version == 4
				? "c++ -gdwarf-4 -O1 -w -fno-inline -o cpp cpp.cc"
				: "c++ -gdwarf-5 -O1 -w -fno-inline -o cpp cpp.cc"));
		mt = open_types("cpp", &m);
		assert_int_equal(module_load_symbols(m, &e), 0);
		for (size_t i = 0; i < ARRAY_LEN(cases); i++)
			assert_type(mt, cases[i].kind, cases[i].name,
				    cases[i].expected);
		describe_function(mt, m, "_ZNK7derived3getEi", &out);
		assert_string_equal(out.data, "s4 rax (this rdi n rsi)");
		describe_function(mt, m, "_Z8by_value7derivedi", &out);
		assert_string_equal(out.data, "s4 rax (d [rdi] n rsi)");
		module_types_close(mt);
		module_free(m);
	}
	strbuf_release(&out);
}

/* ---- copies in other functions ---- */

static const char copies_source[] =
	"#define COPIED __attribute__((always_inline)) static inline\n"
	"#define KEEP __attribute__((noinline, used))\n"
	"volatile int seen;\n"
	"COPIED int inner(int n) { seen += n; return seen * 3; }\n"
	"COPIED int outer(int n) { return inner(n) - inner(n + 1); }\n"
	"KEEP int first(int n) { return inner(n) + 1; }\n"
	"KEEP int second(int n) { return outer(n) + 2; }\n"
	"int (*volatile pointer)(int) = inner;\n"
	"int main(void) { return first(1) + second(2) + pointer(3); }\n";

static const struct {
	const char *name;
	uint64_t ncopies;
	size_t nwhere, nnames;
	const char *most; /* which has most copies of those that the text names */
} copies[] = {
	{"inner", 3, 2, 1, "inner"}, {"outer", 1, 1, 1, "outer"},
	{"first", 0, 0, 0, ""},	     {"main", 0, 0, 0, ""},
	{"absent", 0, 0, 0, ""},     {"", 0, 0, 0, ""},
	{"o*", 1, 1, 1, "outer"},    {"*er", 4, 2, 2, "inner"},
	{"f*", 0, 0, 0, ""},
};

static void assert_copies(const char *program)
{
	struct module_types *mt;
	struct target_inlined in;
	struct module *m;

	mt = open_types(program, &m);
	for (size_t i = 0; i < ARRAY_LEN(copies); i++) {
		module_types_inlined(mt, copies[i].name, &in);
		assert_int_equal(in.ncopies, copies[i].ncopies);
		assert_int_equal(in.nwhere, copies[i].nwhere);
		assert_int_equal(in.nnames, copies[i].nnames);
		if (in.nnames)
			assert_string_equal(in.names[0].name, copies[i].most);
		assert_false(in.is_least);
		for (size_t k = 0; k < in.nwhere; k++)
			assert_true(strcmp(in.where[k], "first") == 0 ||
				    strcmp(in.where[k], "second") == 0);
		module_types_inlined_release(&in);
	}
	module_types_close(mt);
	module_free(m);
}

static void test_inlined(void **state)
{
	static const char *const options[] = {"-g -O1", "-gdwarf-4 -O2",
					      "-gdwarf-3 -gstrict-dwarf -O2",
					      "-g -O2 -flto"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		assert_true(compile("copies", copies_source, options[i]));
		assert_copies("copies");
	}
	if (has_clang()) {
		assert_true(shell("clang -g -O2 -o copies copies.c"));
		assert_copies("copies");
	}
}

static void test_inlined_cpp(void **state)
{
	static const char text[] =
		"#define COPIED __attribute__((always_inline)) inline\n"
		"volatile int seen;\n"
		"namespace ns { struct s { int n; COPIED int get(int a) const;\n"
		"  COPIED int get(char) const { return n + seen; } };\n"
		"int s::get(int a) const { seen += a; return n; }\n"
		"template <class T> COPIED T twice(T t) { seen++; return t + t; } }\n"
		"int main() { ns::s s = {seen}; return s.get(2) + s.get('c') +\n"
		"  ns::twice(seen) + (int)ns::twice(seen * 1.5); }\n";
	static const struct {
		const char *name;
		uint64_t ncopies;
	} cases[] = {
		{"ns::s::get", 2},	  {"ns::s::get(int) const", 1},
		{"_ZNK2ns1s3getEi", 1},	  {"ns::twice<int>", 1},
		{"ns::twice<double>", 1}, {"get", 0},
		{"ns::twice*", 2},	  {"*::get(*", 2},
		{"_ZN*get*", 2},	  {"get*", 0},
	};
	struct module_types *mt;
	struct target_inlined in;
	struct module *m;

	(void)state;
	write_file("copies.cc", text, strlen(text));
	assert_true(shell("c++ -g -O1 -o copies copies.cc"));
	mt = open_types("copies", &m);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		module_types_inlined(mt, cases[i].name, &in);
		if (in.ncopies != cases[i].ncopies)
			fail_msg("'%s': %d", cases[i].name, (int)in.ncopies);
		module_types_inlined_release(&in);
	}
	module_types_close(mt);
	module_free(m);
}

/* ---- other files ---- */

static void test_debug_file(void **state)
{
	struct module_types *mt;
	struct module *m;

	(void)state;
	assert_true(build("-g -O1", false));
	assert_true(
		shell("objcopy --only-keep-debug typed typed.debug && "
		      "strip typed && objcopy --add-gnu-debuglink=typed.debug typed"));
	mt = open_types("typed", &m);
	assert_type(mt, TARGET_STRUCT, "point", types[0].expected);
	module_types_close(mt);
	module_free(m);
	assert_true(shell("rm typed.debug"));
}

static void assert_refused(const char *args, int rc, const char *part)
{
	struct module_types *mt;
	struct module *m;
	struct err e;

	assert_true(build(args, false));
	assert_int_equal(module_read_file(in_dir("typed"), 0, &m, &e), 0);
	assert_int_equal(module_types_open(m, &mt, &e), rc);
	assert_non_null(strstr(e.text, part));
	module_free(m);
}

static void test_refused(void **state)
{
	(void)state;
	assert_refused("-g0", STATUS_NOENT, "compile it with -g");
	assert_refused("-g && printf 'gone.debug\\0abcd' >link && objcopy "
		       "--add-section .gnu_debugaltlink=link typed",
		       STATUS_NOENT, "gone.debug");
}

/* Entries in .dwo files; why is what is said if they are not known. */
static void assert_split(const char *options, const char *command, const char *why)
{
	struct module_types *mt;
	struct module *m;
	const char *said;

	assert_true(build(options, false));
	assert_true(shell(command));
	mt = open_types("typed", &m);
	said = module_types_split_why(mt);
	if (why && (!said || !strstr(said, why)))
		fail_msg("%s: %s", command, said ? said : "(nothing)");
	if (why) {
		assert_int_equal(find_type(mt, TARGET_STRUCT, "point"), 0);
	} else {
		assert_null(said);
		assert_type(mt, TARGET_STRUCT, "point", types[0].expected);
	}
	module_types_close(mt);
	module_free(m);
	assert_true(shell("rm -rf *.dwo"));
}

static void test_split(void **state)
{
	static const char four[] = "-g -gsplit-dwarf -gdwarf-4";
	static const char five[] = "-g -gsplit-dwarf -gdwarf-5";
	static const char types_apart[] =
		"-g -gsplit-dwarf -gdwarf-5 -fdebug-types-section -gz";

	(void)state;
	assert_split(four, "true", NULL);
	assert_split(five, "true", NULL);
	assert_split(types_apart, "true", NULL);
	/* the name is the target's: it may lead anywhere */
	assert_split(five, "rm *.dwo", "cannot open");
	assert_split(five, "for f in *.dwo; do rm $f; mkfifo $f; done",
		     "not a regular");
	assert_split(five, "for f in *.dwo; do rm $f; mkdir $f; done", "not a regular");
	assert_split(five, "for f in *.dwo; do rm $f; ln -s $f $f; done",
		     "cannot open");
	assert_split(five, "for f in *.dwo; do rm $f; ln -s /dev/zero $f; done",
		     "not a regular");
	assert_split(five, "for f in *.dwo; do truncate -s 40 $f; done", "too short");
	assert_split(five, "for f in *.dwo; do truncate -s 300 $f; done",
		     "damaged or of another build");
	/* a skeleton where its entries should be */
	assert_split(five, "for f in *.dwo; do cp typed $f; done",
		     "damaged or of another build");
	assert_split(four, "for f in *.dwo; do cp typed $f; done",
		     "damaged or of another build");
	/* entries of another unit: in version 5 the id follows 12 bytes of the header */
	assert_split(
		five,
		"for f in *.dwo; do at=$(LC_ALL=C readelf -SW $f | sed -n "
		"'s/.* .debug_info.dwo  *[A-Z]*  *[0-9a-f]* \\([0-9a-f]*\\) .*/\\1/p');"
		" printf 'another.' | dd of=$f bs=1 seek=$((0x$at + 12)) conv=notrunc "
		"2>dd.log; done",
		"damaged or of another build");
	/* an expanded size that the file cannot have */
	assert_split(
		types_apart,
		"for f in *.dwo; do at=$(LC_ALL=C readelf -SW $f | sed -n "
		"'s/.* .debug_str.dwo  *[A-Z]*  *[0-9a-f]* \\([0-9a-f]*\\) .*/\\1/p');"
		" printf '\\377\\377\\377\\377\\377' | "
		"dd of=$f bs=1 seek=$((0x$at + 8)) conv=notrunc 2>dd.log; done",
		"is damaged");
}

/* ---- damage ---- */

#define ROUNDS 1500

static uint64_t seed;

/* Everything that can be asked, as far as it goes. */
static void ask(struct module *m)
{
	static const char *const variables[] = {"item", "flags", "number", "own"};
	struct strbuf out = {0};
	struct module_types *mt;
	struct target_function f;
	uint64_t type, value;
	struct err e;

	if (module_types_open(m, &mt, &e))
		return;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		uint64_t ref = find_type(mt, types[i].kind, types[i].name);

		strbuf_reset(&out);
		if (ref) {
			struct target_type t;

			module_types_get(mt, ref, &t);
			describe_tagged(mt, ref, &t, &out);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		module_types_variable(mt, &(struct target_search){.name = variables[i]},
				      &type, &value, &e);
	for (size_t i = 0; i < m->nsymbols; i++)
		module_types_function(mt, m->symbols[i].value,
				      symbol_convention(m, &m->symbols[i]), &f);
	strbuf_release(&out);
	module_types_close(mt);
}

struct range {
	uint64_t at, size;
};

/* Of the debugging sections, in file order. */
static size_t debug_ranges(const uint8_t *file, struct range *out, size_t max)
{
	Elf64_Ehdr h;
	Elf64_Shdr names, s;
	size_t n = 0;

	memcpy(&h, file, sizeof(h));
	memcpy(&names, file + h.e_shoff + h.e_shstrndx * sizeof(s), sizeof(s));
	for (unsigned i = 0; i < h.e_shnum && n < max; i++) {
		memcpy(&s, file + h.e_shoff + i * sizeof(s), sizeof(s));
		if (strncmp((const char *)file + names.sh_offset + s.sh_name, ".debug_",
			    7) == 0 &&
		    s.sh_size)
			out[n++] = (struct range){s.sh_offset, s.sh_size};
	}
	return n;
}

static uint8_t *read_whole(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	struct stat st;
	uint8_t *p;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	*n = (size_t)st.st_size;
	p = oom_calloc(*n, 1);
	assert_int_equal(fread(p, 1, *n, f), *n);
	fclose(f);
	return p;
}

static void damage(uint8_t *bad, const struct range *r, size_t nr)
{
	for (uint64_t i = draw(&seed, 6) + 1; i > 0; i--) {
		const struct range *in = &r[draw(&seed, nr)];
		uint8_t *p = bad + in->at + draw(&seed, in->size);

		*p = draw(&seed, 3) ? (uint8_t)draw(&seed, 256)
				    : (uint8_t)(*p + draw(&seed, 3) - 1);
	}
}

static void test_damaged(void **state)
{
	static const struct {
		const char *args, *file;
		int rounds;
	} all[] = {
		{"-gdwarf-4 -O1", "typed", ROUNDS},
		{"-gdwarf-5 -O2", "typed", ROUNDS},
		{"-gdwarf-4 -fdebug-types-section", "typed", ROUNDS},
		{"-gdwarf-5 -gz", "typed", ROUNDS},
		{"-gdwarf-5 -gsplit-dwarf -O2", "typed", ROUNDS / 4},
		{"-gdwarf-5 -gsplit-dwarf -O2 -dumpbase typed", "typed.dwo",
		 ROUNDS / 4},
		{"-gdwarf-4 -gsplit-dwarf -O1 -dumpbase typed", "typed.dwo",
		 ROUNDS / 4},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct range ranges[32];
		struct module *m;
		struct err e;
		uint8_t *good, *bad;
		size_t n, nr;
		int fd;

		assert_true(build(all[i].args, false));
		good = read_whole(in_dir(all[i].file), &n);
		bad = oom_calloc(n, 1);
		nr = debug_ranges(good, ranges, ARRAY_LEN(ranges));
		assert_true(nr > 3);
		assert_int_equal(module_read_file(in_dir("typed"), 0, &m, &e), 0);
		assert_int_equal(module_load_symbols(m, &e), 0);
		fd = open(in_dir(all[i].file), O_RDWR | O_CLOEXEC);
		for (int round = 0; round < all[i].rounds; round++) {
			seed = (uint64_t)round * 0x9e3779b97f4a7c15 + i + 1;
			memcpy(bad, good, n);
			damage(bad, ranges, nr);
			assert_int_equal(pwrite(fd, bad, n, 0), n);
			ask(m);
		}
		close(fd);
		free(good);
		free(bad);
		module_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),	   cmocka_unit_test(test_functions),
		cmocka_unit_test(test_variables),  cmocka_unit_test(test_cpp),
		cmocka_unit_test(test_inlined),	   cmocka_unit_test(test_inlined_cpp),
		cmocka_unit_test(test_debug_file), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_split),	   cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
