/* SPDX-License-Identifier: MIT */
/*
 * The functions of programs built for the purpose, in every state strip(1) and
 * objcopy(1) leave a file in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbols/symbols.h"
#include "tests/unit/support/symbols_build.h"
#include "vm/base/status.h"

static const char source[] =
	"#include <stdlib.h>\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"KEEP static int one(int n) { return n * 3 + 1; }\n"
	"KEEP static int two(int n) { return one(n) - one(n + 1); }\n"
	"KEEP int shared(int n) { return two(n) + 7; }\n"
	"int alias_long(int n) __attribute__((alias(\"shared\")));\n"
	"int __alias(int n) __attribute__((alias(\"shared\")));\n"
	"int awk(int n) __attribute__((weak, alias(\"shared\")));\n"
	"static int pick(int n) { return n; }\n"
	"static void *resolve(void) { return pick; }\n"
	"int chosen(int) __attribute__((ifunc(\"resolve\")));\n"
	"__asm__(\".text\\n.globl by_hand\\nby_hand: nop\\nret\\n\"\n"
	"\".size by_hand, .-by_hand\\n\"\n"
	"\".globl no_size\\n.type no_size,@function\\nno_size: ret\\n\"\n"
	"\".globl plain_label\\nplain_label: ret\\n\"\n"
	"\".data\\n.globl table\\ntable: .quad 1\\n.size table, "
	"8\\n.text\\n\");\n" MAIN_WAITS;

/* A running program, its modules, and the one that is the program. */
struct loaded {
	struct running run;
	struct modules *ms;
	struct module *exe;
};

static void keep_module(void *ctx, struct module *m)
{
	*(struct module **)ctx = m;
}

static struct module *select_one(const struct modules *ms, const char *field)
{
	struct module *m = NULL;
	size_t n = modules_select(ms, field, keep_module, &m);

	assert_int_equal(n, m != NULL);
	return m;
}

static struct loaded load_program(const char *name)
{
	struct loaded l = {.run = run_program(in_dir(name))};
	struct err e;

	assert_int_equal(modules_read(l.run.pid, &l.ms, &e), 0);
	l.exe = select_one(l.ms, "a.out");
	assert_non_null(l.exe);
	assert_string_equal(l.exe->name, name);
	if (module_load_symbols(l.exe, &e) != 0)
		fail_msg("%s", e.text);
	return l;
}

static void unload(struct loaded *l)
{
	modules_free(l->ms);
	end_program(&l->run);
}

static void count_one(void *ctx, const struct symbol *s)
{
	(void)s;
	++*(size_t *)ctx;
}

static size_t matches(const struct module *m, const char *glob)
{
	size_t n = 0, told = module_match(m, glob, count_one, &n);

	assert_int_equal(told, n);
	return n;
}

/* nm(1)'s value of the symbol in the file. */
static uint64_t value_by_nm(const char *file, const char *name)
{
	char command[512];
	unsigned long long v = 0;
	FILE *f;

	snprintf(command, sizeof(command), "nm %s | awk '$3 == \"%s\" { print $1 }'",
		 in_dir(file), name);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llx", &v), 1);
	pclose(f);
	return v;
}

/* Whether a function begins at the address, under whatever name. */
static const struct symbol *at_value(const struct module *m, uint64_t value)
{
	const struct symbol *s = module_at(m, module_address(m, value));

	return s && s->value == value ? s : NULL;
}

static void test_full_table(void **state)
{
	static const struct {
		const char *name;
		bool is_found;
	} cases[] = {
		{"one", true},		{"two", true},
		{"shared", true},	{"main", true},
		{"_init", true},	{"_fini", true},
		{"by_hand", true},	{"chosen", true},
		{"alias_long", true},	{"__alias", true},
		{"awk", true},		{"no_size", true},
		{"plain_label", false}, {"table", false},
		{"printf", false},	{"", false},
		{"on", false},		{"ones", false},
		{"write", false},
	};
	struct loaded l;

	(void)state;
	assert_true(compile("full", source, "-O1 -g"));
	l = load_program("full");
	assert_int_equal(l.exe->source, SYMBOL_SOURCE_SYMTAB);
	assert_false(l.exe->is_stripped);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct symbol *s = module_find(l.exe, cases[i].name);

		if ((s != NULL) != cases[i].is_found && s == NULL &&
		    cases[i].name[0] == '_')
			continue; /* some linkers give _init no size */
		if ((s != NULL) != cases[i].is_found)
			fail_msg("%s", cases[i].name);
	}
	assert_int_equal(module_find(l.exe, "two")->value, value_by_nm("full", "two"));
	/* nothing in it lacks a name */
	assert_int_equal(matches(l.exe, "sub_*"), 0);
	unload(&l);
}

static void test_aliases(void **state)
{
	const struct symbol *s;
	struct loaded l;

	(void)state;
	assert_true(compile("aliases", source, "-O1"));
	l = load_program("aliases");
	s = module_find(l.exe, "shared");
	/* fewer underscores first, then global, then shorter */
	assert_string_equal(at_value(l.exe, s->value)->name, "shared");
	assert_int_equal(module_find(l.exe, "awk")->value, s->value);
	assert_true(module_find(l.exe, "awk")->rank > s->rank);
	assert_true(module_find(l.exe, "__alias")->rank > s->rank);
	assert_int_equal(module_find(l.exe, "alias_long")->rank, s->rank);
	assert_int_equal(matches(l.exe, "shared"), 1);
	/* of one function's names a glob takes one */
	assert_int_equal(matches(l.exe, "*alias*"), 1);
	assert_int_equal(matches(l.exe, "[as]*[kdg]"), 1);
	unload(&l);
}

static void test_underscores(void **state)
{
	static const char text[] =
		"int __zed(int n) { return n * 7; }\n"
		"int zed(int n) __attribute__((weak, alias(\"__zed\")));\n" MAIN_WAITS;
	struct loaded l;

	(void)state;
	assert_true(compile("underscores", text, "-O1"));
	l = load_program("underscores");
	assert_string_equal(at_value(l.exe, module_find(l.exe, "__zed")->value)->name,
			    "zed");
	unload(&l);
}

static void test_skipped_by_globs(void **state)
{
	struct loaded l;

	(void)state;
	assert_true(compile("skipped", source, "-O1"));
	l = load_program("skipped");
	assert_true(module_find(l.exe, "chosen")->is_ifunc);
	assert_int_equal(matches(l.exe, "chosen"), 0);
	assert_int_equal(matches(l.exe, "_ini*"), 0);
	assert_int_equal(matches(l.exe, "_fin*"), 0);
	assert_int_equal(matches(l.exe, "main"), 1);
	assert_int_equal(matches(l.exe, ""), matches(l.exe, "*"));
	assert_true(matches(l.exe, "") >= 6);
	unload(&l);
}

static void test_stripped(void **state)
{
	static const char *const names[] = {"one", "two", "shared", "main"};
	char wanted[32];
	struct loaded l;

	(void)state;
	assert_true(compile("whole", source, "-O1 -fno-pie -no-pie"));
	assert_true(shell("strip -o bare whole"));
	l = load_program("bare");
	assert_true(l.exe->is_stripped);
	assert_int_equal(l.exe->source, SYMBOL_SOURCE_EH_FRAME);
	assert_null(module_find(l.exe, "main"));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		uint64_t value = value_by_nm("whole", names[i]);
		const struct symbol *s = at_value(l.exe, value);

		assert_non_null(s);
		snprintf(wanted, sizeof(wanted), "sub_%llx", (unsigned long long)value);
		assert_string_equal(s->name, wanted);
		assert_ptr_equal(module_find(l.exe, wanted), s);
		assert_true(s->is_unnamed && !s->is_fragment && s->size > 0);
	}
	assert_true(matches(l.exe, "sub_*") >= ARRAY_LEN(names));
	/* tables of jumps to other objects are no functions */
	assert_null(at_value(l.exe, value_by_nm("whole", "_init") + 0x20));
	unload(&l);
}

static void test_exports_only(void **state)
{
	const struct symbol *s;
	struct loaded l;

	(void)state;
	assert_true(compile("exports", source, "-O1 -rdynamic"));
	assert_true(shell("strip -o exported exports"));
	l = load_program("exported");
	assert_true(l.exe->is_stripped);
	assert_int_equal(l.exe->source, SYMBOL_SOURCE_DYNSYM);
	s = module_find(l.exe, "shared");
	assert_non_null(s);
	assert_int_equal(s->value, value_by_nm("exports", "shared"));
	assert_null(module_find(l.exe, "one"));
	s = at_value(l.exe, value_by_nm("exports", "one"));
	assert_non_null(s);
	assert_true(s->is_unnamed);
	/* what has a name is not there a second time without */
	assert_false(at_value(l.exe, value_by_nm("exports", "shared"))->is_unnamed);
	unload(&l);
}

/* Without local names in the table the static functions are still found. */
static void test_discarded_locals(void **state)
{
	struct loaded l;

	(void)state;
	assert_true(compile("locals", source, "-O1"));
	assert_true(shell("strip -x -o discarded locals"));
	l = load_program("discarded");
	assert_false(l.exe->is_stripped);
	assert_non_null(module_find(l.exe, "shared"));
	assert_null(module_find(l.exe, "two"));
	assert_true(at_value(l.exe, value_by_nm("locals", "two"))->is_unnamed);
	unload(&l);
}

static void test_no_sections(void **state)
{
	struct loaded l;

	(void)state;
	assert_true(compile("sections", source,
			    "-O1 -rdynamic -Wl,--hash-style=gnu -Wl,-z,now"));
	assert_true(shell("strip -o headless sections"));
	/* e_shoff is the 8 bytes at 40; e_shnum and e_shstrndx the 4 at 60 */
	assert_true(shell("printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=headless bs=1 "
			  "seek=40 conv=notrunc 2>dd.log; printf '\\0\\0\\0\\0' | "
			  "dd of=headless bs=1 seek=60 conv=notrunc 2>dd.log"));
	l = load_program("headless");
	assert_non_null(module_find(l.exe, "shared"));
	assert_non_null(module_find(l.exe, "main"));
	assert_true(at_value(l.exe, value_by_nm("sections", "one"))->is_unnamed);
	unload(&l);
}

/* Makes NAME without symbols and with a debuglink, and NAME.debug. */
static void make_linked(const char *name, const char *args)
{
	char command[512];

	assert_true(compile(name, source, args));
	snprintf(command, sizeof(command),
		 "objcopy --only-keep-debug %s %s.debug && strip %s && "
		 "objcopy --add-gnu-debuglink=%s.debug %s",
		 name, name, name, name, name);
	assert_true(shell(command));
}

static void test_debuglink(void **state)
{
	static const struct {
		const char *name, *prepare, *args;
		bool is_found;
	} cases[] = {
		{"beside", "true", "-O1 -Wl,--build-id=none", true},
		{"beneath", "mkdir -p .debug && mv beneath.debug .debug",
		 "-O1 -Wl,--build-id=none", true},
		{"with_id", "true", "-O1 -Wl,--build-id", true},
		{"missing", "rm missing.debug", "-O1 -Wl,--build-id=none", false},
		{"changed", "echo >> changed.debug", "-O1 -Wl,--build-id=none", false},
		{"other_id", "cp with_id.debug other_id.debug",
		 "-O2 -Wl,--build-id -DOTHER", false},
		{"pipe", "rm pipe.debug && mkfifo pipe.debug",
		 "-O1 -Wl,--build-id=none", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct loaded l;

		make_linked(cases[i].name, cases[i].args);
		assert_true(shell(cases[i].prepare));
		l = load_program(cases[i].name);
		if ((module_find(l.exe, "two") != NULL) != cases[i].is_found)
			fail_msg("%s", cases[i].name);
		assert_int_equal(l.exe->is_stripped, !cases[i].is_found);
		assert_int_equal(l.exe->source == SYMBOL_SOURCE_DEBUG,
				 cases[i].is_found);
		assert_int_equal(l.exe->debug_path != NULL, cases[i].is_found);
		unload(&l);
	}
}

/* Names that a stripped file has packed in .gnu_debugdata. */
static void test_minidebug(void **state)
{
	static const struct {
		const char *name, *prepare;
		bool is_found;
	} cases[] = {
		{"packed", "true", true},
		{"cut", "truncate -s -40 mini.xz", false},
		{"noise", "head -c 4000 /dev/urandom >mini.xz", false},
		{"no_elf", "echo no elf | xz >mini.xz", false},
		{"zeros", "head -c 300000000 /dev/zero | xz -1 >mini.xz", false},
	};
	static const char text[] =
		"__attribute__((noipa)) static int hidden(int n) { return n + 1; }\n"
		"int shown(int n) { return hidden(n); }\n" MAIN_WAITS;

	(void)state;
	if (!shell("command -v xz >/dev/null")) {
		print_message("no xz: apt-get install xz-utils\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char command[512];
		struct loaded l;

		assert_true(compile(cases[i].name, text, "-O1 -rdynamic"));
		snprintf(
			command, sizeof(command),
			"objcopy --only-keep-debug %s mini && rm -f mini.xz && xz mini "
			"&& %s && strip %s && objcopy --add-section "
			".gnu_debugdata=mini.xz %s",
			cases[i].name, cases[i].prepare, cases[i].name, cases[i].name);
		assert_true(shell(command));
		l = load_program(cases[i].name);
		assert_true(l.exe->is_stripped);
		assert_non_null(module_find(l.exe, "shown"));
		assert_int_equal(module_find(l.exe, "hidden") != NULL,
				 cases[i].is_found);
		assert_int_equal(l.exe->source, cases[i].is_found
							? SYMBOL_SOURCE_MINI
							: SYMBOL_SOURCE_DYNSYM);
		unload(&l);
	}
}

/*
 * Two files whose static functions share a name, each with a .cold part, as
 * gcc writes them; the parts lie in the opposite order of their functions.
 */
static void make_cold(void)
{
	static const char halves[] =
		"#define FUNCTION(name) .type name,@function; name: nop; ret; "
		".size name, .-name\n"
		".file \"FILE\"\n"
		".text\nFUNCTION(tail)\n.globl NAME\nFUNCTION(NAME)\n"
		"FUNCTION(twin.part.0)\nFUNCTION(two.constprop.0)\n"
		".section COLD,\"ax\"\n"
		"FUNCTION(tail.cold)\nFUNCTION(NAME.cold.12)\n"
		"FUNCTION(twin.part.0.cold)\nFUNCTION(two.constprop.0.cold)\n"
		"FUNCTION(orphan.cold)\nFUNCTION(NAME.part.3.cold)\n"
		"FUNCTION(not.colder)\n"
		".section .note.GNU-stack,\"\"\n";

	write_file("halves.S", halves, sizeof(halves) - 1);
	assert_true(shell("sed -e s/FILE/b.c/ halves.S > halves_b.S && "
			  "cc -DNAME=second -DCOLD=.cold_b -c halves_b.S -o b.o"));
	assert_true(shell("sed -i -e s/FILE/a.c/ halves.S && "
			  "cc -DNAME=first -DCOLD=.cold_a -c halves.S -o a.o"));
	assert_true(compile("cold", MAIN_WAITS, "b.o a.o"));
}

static void check_cold(const struct module *m, const char *name, size_t i,
		       size_t nparts)
{
	const struct symbol *s = module_find_nth(m, name, i);

	if (!s || s->nparts != nparts)
		fail_msg("%s: %u parts", name, s ? s->nparts : 0);
	for (uint32_t k = 0; k < s->nparts; k++) {
		const struct symbol_part *p = &m->parts[s->first_part + k];
		taddr last = module_address(m, p->value + p->size - 1);

		assert_ptr_equal(module_at(m, last), s);
		assert_true(symbol_holds(m, s, last));
		assert_false(symbol_holds(m, s, module_address(m, p->value - 1)));
	}
}

/* Functions of one file lie together, and so do their parts. */
static bool are_of_one_file(const struct module *m, const struct symbol *s,
			    const struct symbol *global)
{
	uint64_t part = m->parts[s->first_part].value;
	uint64_t other = m->parts[global->first_part].value;

	return (s->value < global->value ? global->value - s->value : 99) < 8 &&
	       (part < other ? other - part : part - other) < 16;
}

static void test_cold_parts(void **state)
{
	struct loaded l;

	(void)state;
	make_cold();
	l = load_program("cold");
	for (size_t i = 0; i < 2; i++) {
		check_cold(l.exe, "tail", i, 1);
		check_cold(l.exe, "twin.part.0", i, 1);
		check_cold(l.exe, "two.constprop.0", i, 1);
	}
	/* NAME.cold.12, and NAME.part.3.cold whose .part is not there */
	check_cold(l.exe, "first", 0, 2);
	check_cold(l.exe, "second", 0, 2);
	assert_int_equal(module_count(l.exe, "tail"), 2);
	assert_null(module_find_nth(l.exe, "tail", 2));
	assert_int_equal(module_count(l.exe, "tail.cold"), 0);
	/* b.o was linked first */
	assert_true(are_of_one_file(l.exe, module_find_nth(l.exe, "tail", 0),
				    module_find(l.exe, "second")));
	assert_true(are_of_one_file(l.exe, module_find_nth(l.exe, "tail", 1),
				    module_find(l.exe, "first")));
	/* a part without its function can be named but is no function */
	assert_int_equal(module_count(l.exe, "orphan.cold"), 2);
	assert_true(module_find(l.exe, "orphan.cold")->is_fragment);
	assert_int_equal(matches(l.exe, "*cold*"), 2); /* not.colder */
	assert_int_equal(matches(l.exe, "*.part.*"), 2);
	assert_int_equal(matches(l.exe, "*.constprop.*"), 2);
	unload(&l);
}

/* A frame is there when a part begins, so it is not taken for a function. */
static void test_stripped_fragments(void **state)
{
	static const char frames[] =
		"__asm__(\".text\\nwhole: "
		".cfi_startproc\\nnop\\nret\\n.cfi_endproc\\n\"\n"
		"\"middle: .cfi_startproc\\n.cfi_def_cfa_offset 32\\nnop\\nret\\n\"\n"
		"\".cfi_endproc\\n\"\n"
		"\"framed: .cfi_startproc\\n.cfi_def_cfa rbp, 16\\n.cfi_offset 6, "
		"-16\\n\"\n"
		"\"ret\\n.cfi_endproc\\n\"\n"
		"\"tramp: "
		".cfi_startproc\\n.cfi_signal_frame\\nret\\n.cfi_endproc\\n\");"
		"\n" MAIN_WAITS;
	struct loaded l;

	(void)state;
	assert_true(compile("frames", frames, "-O1"));
	assert_true(shell("strip -o unframed frames"));
	l = load_program("unframed");
	assert_false(at_value(l.exe, value_by_nm("frames", "whole"))->is_fragment);
	assert_true(at_value(l.exe, value_by_nm("frames", "middle"))->is_fragment);
	assert_true(at_value(l.exe, value_by_nm("frames", "framed"))->is_fragment);
	assert_null(at_value(l.exe, value_by_nm("frames", "tramp")));
	assert_true(symbol_is_skipped_by_globs(
		at_value(l.exe, value_by_nm("frames", "middle"))));
	unload(&l);
}

/* Whose part the code at a label is, by label; NULL: it is no part. */
static void check_owner(const struct module *m, const char *part, const char *owner)
{
	uint64_t at = value_by_nm("parted", part);
	const struct symbol *s = module_at(m, module_address(m, at));

	assert_non_null(s);
	if (s->value != value_by_nm("parted", owner ? owner : part))
		fail_msg("%s belongs to %s", part, s->name);
	assert_int_equal(s->is_fragment, owner == NULL);
}

/* Jumps tell which function a nameless part belongs to. */
static void test_stripped_parts(void **state)
{
#define FUNCTION(name, code)                                                           \
	"\"" name ": .cfi_startproc\\n" code "\\nret\\n.cfi_endproc\\n\"\n"
#define PART(name, code)                                                               \
	FUNCTION(name, ".cfi_def_cfa_offset 32\\nnop\\n" name "_in: " code "\\nnop")
	static const char parted[] = "__asm__(\".text\\n\"\n" /* clang-format off */
		FUNCTION("jumps", "{disp32} jne p_entered_in")
		FUNCTION("chains", "{disp32} jmp p_first")
		FUNCTION("left", "nop\\nback: nop")
		FUNCTION("called", "nop")
		FUNCTION("rival_a", "{disp32} jmp p_shared_in")
		FUNCTION("rival_b", "{disp32} je p_shared_in")
		PART("p_entered", "{disp32} jmp called")
		PART("p_first", "{disp32} jmp p_second_in")
		PART("p_second", "nop")
		PART("p_leaves", "{disp32} jmp back")
		PART("p_shared", "nop")
		PART("p_calls", "{disp32} jmp called")
		PART("p_alone", "nop")
		");\n" MAIN_WAITS; /* clang-format on */
#undef FUNCTION
#undef PART
	static const struct {
		const char *part, *owner;
	} cases[] = {
		{"p_entered", "jumps"}, {"p_entered_in", "jumps"},
		{"p_first", "chains"},	{"p_second_in", "chains"},
		{"p_leaves", "left"},	{"p_shared", NULL},
		{"p_calls", NULL}, /* a tail call */
		{"p_alone", NULL},
	};
	struct loaded l;

	(void)state;
	assert_true(compile("parted", parted, "-O1"));
	assert_true(shell("strip -o nameless parted"));
	l = load_program("nameless");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_owner(l.exe, cases[i].part, cases[i].owner);
	unload(&l);
}

/* Old and default version of one name at two addresses. */
static void test_versions(void **state)
{
	static const char versioned[] =
		"int old_f(void) { return 1; }\nint new_f(void) { return 2; }\n"
		"__asm__(\".symver old_f,f@V1\");\n__asm__(\".symver new_f,f@@V2\");\n";
	static const char map[] = "V1 { global: f; };\nV2 { } V1;\n";
	static const char user[] =
		"int f(void); int g(void) { return f(); }\n" MAIN_WAITS;
	const char *lib[] = {"libver.so", "libbare.so"};
	struct loaded l;
	struct err e;

	(void)state;
	write_file("ver.map", map, sizeof(map) - 1);
	assert_true(compile("libver.so", versioned,
			    "-shared -fPIC -Wl,--version-script=ver.map"));
	assert_true(shell("strip -o libbare.so libver.so"));
	for (size_t i = 0; i < ARRAY_LEN(lib); i++) {
		const struct symbol *s;
		struct module *m;
		char args[128];
		taddr addr;

		snprintf(args, sizeof(args), "-L. -l:%s -Wl,-rpath,%s", lib[i],
			 work_dir);
		assert_true(compile("user", user, args));
		l = load_program("user");
		m = select_one(l.ms, lib[i]);
		assert_non_null(m);
		assert_int_equal(module_load_symbols(m, &e), 0);
		assert_int_equal(module_count(m, "f"), 2);
		s = module_find(m, "f");
		assert_null(strchr(s->name, '@'));
		assert_true(s->rank < module_find_nth(m, "f", 1)->rank);
		if (i == 0)
			assert_int_equal(s->value, module_find(m, "new_f")->value);
		assert_int_equal(module_lookup_any(m, "f", &addr), 0);
		unload(&l);
	}
}

static void test_nearest(void **state)
{
	static const struct {
		const char *name, *nearest;
	} cases[] = {
		{"shred", "shared"}, {"shraed", "shared"},  {"mian", "main"},
		{"Main", "main"},    {"choosen", "chosen"}, {"by_hnad", "by_hand"},
	};
	static const char *const far[] = {"", "completely_different", "x"};
	const char *out[4];
	struct loaded l;

	(void)state;
	assert_true(compile("nearest", source, "-O1"));
	l = load_program("nearest");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(module_nearest(l.exe, cases[i].name, out, 4) >= 1);
		assert_string_equal(out[0], cases[i].nearest);
	}
	for (size_t i = 0; i < ARRAY_LEN(far); i++)
		assert_int_equal(module_nearest(l.exe, far[i], out, 4), 0);
	assert_int_equal(module_nearest(l.exe, "main", out, 0), 0);
	assert_true(modules_nearest(l.ms, "neraest", out, 4) >= 1);
	assert_string_equal(out[0], "nearest");
	unload(&l);
}

static void test_lookup_any(void **state)
{
	struct loaded l;
	taddr addr;

	(void)state;
	assert_true(compile("any", source, "-O1"));
	l = load_program("any");
	assert_int_equal(module_lookup_any(l.exe, "table", &addr), 0);
	assert_int_equal(addr.v, value_by_nm("any", "table") + l.exe->bias);
	assert_int_equal(module_lookup_any(l.exe, "plain_label", &addr), 0);
	assert_int_equal(module_lookup_any(l.exe, "nothing", &addr), STATUS_NOENT);
	assert_int_equal(module_lookup_any(l.exe, "write", &addr), STATUS_NOENT);
	unload(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_table),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_underscores),
		cmocka_unit_test(test_skipped_by_globs),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_exports_only),
		cmocka_unit_test(test_discarded_locals),
		cmocka_unit_test(test_no_sections),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_minidebug),
		cmocka_unit_test(test_cold_parts),
		cmocka_unit_test(test_stripped_fragments),
		cmocka_unit_test(test_stripped_parts),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_lookup_any),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
