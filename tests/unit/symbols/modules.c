/* SPDX-License-Identifier: MIT */
/*
 * The objects of this very process and of small programs, and which of them a
 * module field selects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "symbols/internal.h"
#include "symbols/symbols.h"
#include "tests/unit/support/symbols_build.h"
#include "vm/base/status.h"

static const char one_function[] = "int one_function(int n) { return n * 7; }\n";

static struct modules *read_modules(int pid)
{
	struct modules *ms;
	struct err e;

	if (modules_read(pid, &ms, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(ms->pid, pid);
	return ms;
}

struct picked {
	struct module *m[64];
	size_t n;
};

static void pick(void *ctx, struct module *m)
{
	struct picked *p = ctx;

	assert_true(p->n < ARRAY_LEN(p->m));
	p->m[p->n++] = m;
}

static struct picked select_all(const struct modules *ms, const char *field)
{
	struct picked p = {.n = 0};
	size_t told = modules_select(ms, field, pick, &p);

	assert_int_equal(told, p.n);
	for (size_t i = 0; i < p.n; i++)
		assert_true(modules_selects(ms, field, p.m[i]));
	return p;
}

static struct module *select_one(const struct modules *ms, const char *field)
{
	struct picked p = select_all(ms, field);

	assert_true(p.n <= 1);
	return p.n ? p.m[0] : NULL;
}

static void test_self(void **state)
{
	struct modules *ms = read_modules(getpid());
	taddr here = taddr_of((uintptr_t)test_self);
	const struct symbol *s;
	struct module *m = modules_at(ms, here);
	struct err e;

	(void)state;
	assert_non_null(m);
	assert_true(modules_selects(ms, "a.out", m));
	assert_false(modules_selects(ms, "libc.so.6", m));
	assert_true(m->is_exe && !m->is_vdso && !m->is_deleted);
	assert_string_equal(m->name, "unit_symbols_modules");
	assert_null(module_at(m, here)); /* not loaded yet */
	assert_int_equal(module_load_symbols(m, &e), 0);
	s = module_at(m, here);
	assert_string_equal(s->name, "test_self");
	assert_int_equal(module_address(m, s->value).v, here.v);
	assert_ptr_equal(module_at(m, taddr_add(here, (int64_t)s->size - 1)), s);
	assert_ptr_equal(module_find(m, "test_self"), s);
	assert_int_equal(module_load_symbols(m, &e), 0);
	for (size_t i = 1; i < ms->len; i++)
		assert_true(ms->data[i - 1]->lo.v < ms->data[i]->lo.v);
	assert_null(modules_at(ms, taddr_of(1)));
	modules_free(ms);
}

static void test_libc(void **state)
{
	struct modules *ms = read_modules(getpid());
	struct module *m = select_one(ms, "libc");
	/* by handle: the sanitizers put functions of their own before libc's */
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	const struct symbol *s;
	struct err e;
	taddr addr;

	(void)state;
	assert_string_equal(m->name, "libc.so.6");
	assert_string_equal(m->soname, "libc.so.6");
	assert_int_equal(module_load_symbols(m, &e), 0);
	s = module_find(m, "qsort");
	assert_int_equal(module_address(m, s->value).v,
			 (uintptr_t)dlsym(libc, "qsort"));
	assert_int_equal(module_lookup_any(m, "environ", &addr), 0);
	assert_int_equal(addr.v, (uintptr_t)dlsym(libc, "environ"));
	m = select_one(ms, "ld-linux-x86-64");
	assert_int_equal(module_lookup_any(m, "_r_debug", &addr), 0);
	assert_int_equal(addr.v, (uintptr_t)dlsym(RTLD_DEFAULT, "_r_debug"));
	dlclose(libc);
	modules_free(ms);
}

static void test_vdso(void **state)
{
	struct modules *ms = read_modules(getpid());
	struct module *m = select_one(ms, "\\[vdso\\]");
	struct err e;
	taddr addr;

	(void)state;
	assert_non_null(m);
	assert_true(m->is_vdso);
	assert_int_equal(module_load_symbols(m, &e), 0);
	assert_non_null(module_find(m, "__vdso_clock_gettime"));
	addr = module_address(m, module_find(m, "__vdso_clock_gettime")->value);
	assert_ptr_equal(modules_at(ms, addr), m);
	assert_string_equal(module_at(m, addr)->name, "clock_gettime");
	assert_int_equal(module_lookup_any(m, "__vdso_time", &addr), STATUS_NOENT);
	modules_free(ms);
}

/* A library under several names, and a program whose name begins like it. */
static struct running start_user(void)
{
	char args[256];

	assert_true(compile("libzoo.so.1.2.3", one_function,
			    "-shared -fPIC -Wl,-soname,libzoo.so.1"));
	assert_true(compile("libzoo-old-2.31.so",
			    "int old_function(void) { return 1; }\n",
			    "-shared -fPIC -Wl,-soname,libantique.so.6"));
	assert_true(shell("ln -sf libzoo.so.1.2.3 libzoo.so.1; "
			  "ln -sf libzoo-old-2.31.so libantique.so.6; ln -sfn . link"));
	snprintf(args, sizeof(args),
		 "-Wl,--no-as-needed -L. -l:libzoo.so.1 -l:libantique.so.6 "
		 "-Wl,-rpath,%s",
		 work_dir);
	assert_true(compile("zoo", MAIN_WAITS, args));
	return run_program(in_dir("zoo"));
}

static void test_select(void **state)
{
	static const struct {
		const char *field, *name; /* NULL: none */
	} cases[] = {
		{"a.out", "zoo"},
		{"zoo", "zoo"},
		{"libzoo.so.1.2.3", "libzoo.so.1.2.3"},
		{"libzoo.so.1.2", "libzoo.so.1.2.3"},
		{"libzoo.so.1", "libzoo.so.1.2.3"},
		{"libzoo.so", "libzoo.so.1.2.3"},
		{"libzoo", "libzoo.so.1.2.3"},
		{"libzo", NULL},
		{"libzoo.s", NULL},
		{"libzoo.", NULL},
		{"libzoo-old-2", "libzoo-old-2.31.so"},
		{"libantique.so.6", "libzoo-old-2.31.so"},
		{"libantique", "libzoo-old-2.31.so"},
		{"LIBZOO", NULL},
		{"menagerie", "zoo"}, /* links beside them */
		{"menagerie2", NULL},
		{"./menagerie", NULL},
		{"linked.so", NULL},
		{"libnothing", NULL},
		{"[vdso", NULL},
	};
	struct running run = start_user();
	struct modules *ms = read_modules(run.pid);

	(void)state;
	assert_true(shell("ln -s zoo menagerie; ln -s libzoo.so.1.2.3 linked.so"));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct module *m = select_one(ms, cases[i].field);

		if ((m != NULL) != (cases[i].name != NULL) ||
		    (m && strcmp(m->name, cases[i].name) != 0))
			fail_msg("%s: %s", cases[i].field, m ? m->name : "none");
	}
	assert_string_equal(select_one(ms, in_dir("zoo"))->name, "zoo");
	assert_string_equal(select_one(ms, in_dir("libzoo.so.1"))->name,
			    "libzoo.so.1.2.3");
	assert_string_equal(select_one(ms, in_dir("link/libzoo.so.1.2.3"))->name,
			    "libzoo.so.1.2.3");
	assert_null(select_one(ms, in_dir("libzoo")));
	assert_null(select_one(ms, in_dir("zoo.c")));
	modules_free(ms);
	end_program(&run);
}

static void test_select_globs(void **state)
{
	static const struct {
		const char *field;
		size_t n;
	} cases[] = {
		{"libzoo*", 2},	    {"libzoo.so*", 1}, {"lib*", 3},
		{"zo?", 1},	    {"a.ou*", 0},      {"*nothing*", 0},
		{"libantique*", 0}, {"/*", 0},	       {"*vdso*", 1},
	};
	struct running run = start_user();
	struct modules *ms = read_modules(run.pid);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (select_all(ms, cases[i].field).n != cases[i].n)
			fail_msg("%s", cases[i].field);
	}
	assert_int_equal(select_all(ms, "").n, ms->len);
	assert_int_equal(select_all(ms, "*").n, ms->len);
	/* zoo, libzoo, old, libc, ld.so and the vdso */
	assert_int_equal(ms->len, 6);
	modules_free(ms);
	end_program(&run);
}

/* Root reads a deleted file through map_files; for others it is out of reach. */
static void test_deleted(void **state)
{
	struct running run;
	struct modules *ms;
	struct module *m;
	struct err e;

	(void)state;
	run = start_user();
	assert_true(shell("rm libzoo.so.1.2.3 && cp libzoo-old-2.31.so "
			  "libzoo.so.1.2.3"));
	ms = read_modules(run.pid);
	m = select_one(ms, "libzoo");
	assert_non_null(m);
	if (geteuid() == 0 && module_load_symbols(m, &e) == 0)
		assert_non_null(module_find(m, "one_function"));
	modules_free(ms);

	/* the same without map_files: a mapping that is not there */
	ms = read_modules(run.pid);
	m = select_one(ms, "libzoo");
	m->internal->file.range.lo.v++;
	assert_int_equal(module_load_symbols(m, &e), STATUS_NOENT);
	assert_non_null(strstr(e.text, "it was deleted or replaced after process"));
	memset(&e, 0, sizeof(e));
	assert_int_equal(module_load_symbols(m, &e), STATUS_NOENT);
	assert_non_null(strstr(e.text, "deleted or replaced"));
	assert_int_equal(m->nsymbols, 0);
	assert_null(module_find(m, "one_function"));
	modules_free(ms);
	/* one that has ended has no files at all */
	ms = read_modules(run.pid);
	m = select_one(ms, "libzoo");
	end_program(&run);
	assert_int_equal(module_load_symbols(m, &e), STATUS_GONE);
	assert_non_null(strstr(e.text, "has ended"));
	modules_free(ms);
}

static void test_deleted_program(void **state)
{
	struct running run;
	struct modules *ms;
	struct module *m;
	struct err e;

	(void)state;
	assert_true(compile("brief", MAIN_WAITS, ""));
	run = run_program(in_dir("brief"));
	assert_true(shell("rm brief"));
	ms = read_modules(run.pid);
	m = select_one(ms, "a.out");
	assert_true(m->is_deleted);
	assert_string_equal(m->name, "brief");
	m->internal->file.range.lo.v++; /* what everybody may follow is /proc/PID/exe */
	assert_int_equal(module_load_symbols(m, &e), 0);
	assert_non_null(module_find(m, "main"));
	modules_free(ms);
	end_program(&run);
}

/* Objects of other link maps are distinguished by its number. */
static void check_link_maps(const struct modules *ms, const struct picked *p)
{
	static const struct {
		const char *field;
		size_t n;
	} globs[] = {
		{"libtwice*", 2}, {"LM[0-9]`libtwice*", 1}, {"LM?[0-9a]`libtwice*", 1},
		{"LM1a`*", 1},	  {"*twice.so", 2},
	};

	module_set_link_map(p->m[0], 0x1a);
	assert_string_equal(p->m[0]->name, "LM1a`libtwice.so");
	assert_ptr_equal(select_one(ms, "libtwice.so"), p->m[1]);
	assert_ptr_equal(select_one(ms, "LM0`libtwice"), p->m[1]);
	assert_ptr_equal(select_one(ms, "LM1a`libtwice"), p->m[0]);
	assert_null(select_one(ms, "LM2`libtwice"));
	assert_null(select_one(ms, "LM`libtwice"));
	module_set_link_map(p->m[1], 2);
	assert_non_null(select_one(ms, "libtwice"));
	assert_null(select_one(ms, "LM0`libtwice"));
	module_set_link_map(p->m[1], 0);
	assert_string_equal(p->m[1]->name, "libtwice.so");
	for (size_t i = 0; i < ARRAY_LEN(globs); i++) {
		size_t n = select_all(ms, globs[i].field).n;

		if (n != globs[i].n)
			fail_msg("%s: %zu", globs[i].field, n);
	}
}

/* One file loaded at two addresses is two objects. */
static void test_loaded_twice(void **state)
{
	struct modules *ms;
	void *a, *b;
	struct picked p;

	(void)state;
	assert_true(compile("libtwice.so", one_function, "-shared -fPIC -nostdlib"));
	a = dlmopen(LM_ID_NEWLM, in_dir("libtwice.so"), RTLD_NOW);
	b = dlmopen(LM_ID_NEWLM, in_dir("libtwice.so"), RTLD_NOW);
	if (!a || !b) {
		print_message("not tested: %s\n", dlerror());
		skip();
	}
	ms = read_modules(getpid());
	p = select_all(ms, "libtwice*");
	assert_int_equal(p.n, 2);
	assert_true(p.m[0]->bias != p.m[1]->bias);
	for (size_t i = 0; i < 2; i++) {
		void *at = dlsym(i ? b : a, "one_function");
		struct module *m = modules_at(ms, taddr_of((uintptr_t)at));
		struct err e;

		assert_int_equal(module_load_symbols(m, &e), 0);
		assert_string_equal(module_at(m, taddr_of((uintptr_t)at))->name,
				    "one_function");
	}
	assert_non_null(select_one(ms, "libtwice"));
	check_link_maps(ms, &p);
	modules_free(ms);
	dlclose(a);
	dlclose(b);
}

/* Changed protections split mappings; data that is mapped is no object. */
static void test_split_and_data(void **state)
{
	struct modules *ms;
	struct module *m;
	void *lib, *at, *data;
	int fd;

	(void)state;
	assert_true(compile("libsplit.so",
			    "char table[3 * 4096] = {1};\n"
			    "__asm__(\".text\\n.skip 16384, 0x90\\n\");\n"
			    "int one_function(int n) { return n * 7; }\n",
			    "-shared -fPIC"));
	lib = dlopen(in_dir("libsplit.so"), RTLD_NOW);
	assert_non_null(lib);
	at = (void *)align_down((uintptr_t)dlsym(lib, "one_function"), 4096);
	assert_int_equal(mprotect(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	fd = open(in_dir("libsplit.so"), O_RDONLY | O_CLOEXEC);
	data = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(data, MAP_FAILED);
	ms = read_modules(getpid());
	assert_int_equal(select_all(ms, "libsplit*").n, 1);
	m = select_one(ms, "libsplit");
	assert_true(taddr_in(taddr_of((uintptr_t)at), m->lo, m->hi));
	assert_true(taddr_in(taddr_of((uintptr_t)dlsym(lib, "table")), m->lo, m->hi));
	assert_false(taddr_in(taddr_of((uintptr_t)data), m->lo, m->hi));
	modules_free(ms);
	munmap(data, 4096);
	close(fd);
	dlclose(lib);
}

static void test_odd_names(void **state)
{
	static const char *const names[] = {"with space", "new\nline", "caf\xc3\xa9"};
	struct modules *ms;
	struct module *m;
	struct err e;

	(void)state;
	assert_true(compile("odd", MAIN_WAITS, ""));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct running run;
		char path[256];

		snprintf(path, sizeof(path), "%s", in_dir(names[i]));
		assert_int_equal(link(in_dir("odd"), path), 0);
		run = run_program(path);
		ms = read_modules(run.pid);
		m = select_one(ms, "a.out");
		assert_string_equal(m->name, names[i]);
		m->internal->file.range.lo.v++; /* through the name */
		m->internal->file.is_exe = false;
		assert_int_equal(module_load_symbols(m, &e), 0);
		modules_free(ms);
		end_program(&run);
	}
}

/* The first thread ends, the process lives on. */
static void test_first_thread_ended(void **state)
{
	static const char text[] =
		"#include <pthread.h>\n#include <unistd.h>\n"
		"static void *run(void *p) { char c; (void)p; usleep(50000);\n"
		" return write(1, \"r\", 1) + read(0, &c, 1) ? _exit(0), p : p; }\n"
		"int main(void) { pthread_t t; pthread_create(&t, 0, run, 0);\n"
		" pthread_exit(0); }\n";
	struct running run;
	struct modules *ms;
	struct module *m;
	struct err e;

	(void)state;
	assert_true(compile("headless", text, "-pthread"));
	run = run_program(in_dir("headless"));
	ms = read_modules(run.pid);
	m = select_one(ms, "a.out");
	assert_non_null(m);
	assert_int_equal(module_load_symbols(m, &e), 0);
	assert_non_null(module_find(m, "run"));
	modules_free(ms);
	end_program(&run);
}

/*
 * A program that executes itself all the time. Its memory is often replaced between the
 * opening of its maps and the read, which then says nothing.
 */
static void test_in_exec(void **state)
{
	static const char text[] =
		"#include <unistd.h>\n"
		"int main(int n, char **v) { n < 2 ? (void)!write(1, \"r\", 1) : 0;\n"
		" execl(v[0], v[0], \"again\", (char *)0); return 1; }\n";
	struct running run;

	(void)state;
	assert_true(compile("again", text, "-static"));
	run = run_program(in_dir("again"));
	for (int i = 0; i < 10000; i++)
		modules_free(read_modules(run.pid));
	assert_int_equal(kill(run.pid, SIGKILL), 0);
	end_program(&run);
}

static void test_gone(void **state)
{
	struct modules *ms;
	struct err e;
	int pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_true(pid > 0);
	waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT);
	assert_int_equal(modules_read(pid, &ms, &e), STATUS_GONE); /* a zombie */
	assert_non_null(strstr(e.text, "has ended"));
	waitpid(pid, NULL, 0);
	assert_int_equal(modules_read(pid, &ms, &e), STATUS_GONE);
	assert_non_null(strstr(e.text, "does not exist"));
}

/* Another user's process, seen from a child that has given up being root. */
static void test_not_permitted(void **state)
{
	int pid, status;

	(void)state;
	if (geteuid() != 0) {
		print_message("not tested: needs root to become another user\n");
		skip();
	}
	pid = fork();
	if (pid == 0) {
		struct modules *ms;
		struct err e;

		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(2);
		_exit(modules_read(getppid(), &ms, &e) == STATUS_PERM &&
				      strstr(e.text, "not permitted")
			      ? 0
			      : 1);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_select_globs),
		cmocka_unit_test(test_deleted),
		cmocka_unit_test(test_deleted_program),
		cmocka_unit_test(test_loaded_twice),
		cmocka_unit_test(test_split_and_data),
		cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_first_thread_ended),
		cmocka_unit_test(test_in_exec),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_not_permitted),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
