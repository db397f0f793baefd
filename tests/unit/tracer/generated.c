/* SPDX-License-Identifier: MIT */
/* What programs say about code that they made: perf maps and jitdump files, hostile ones too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/jit/jit.h"
#include "tracer/jit/map_file.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/status.h"

static const char *name_at(struct code_map *m, uint64_t address)
{
	const struct code_function *f = code_map_at(m, address);

	return f ? f->name : "";
}

/* Lines of a perf map, and the name at an address. */
static void test_lines(void **state)
{
	static const struct {
		const char *text;
		uint64_t at;
		const char *name;
	} cases[] = {
		{"1000 10 f\n", 0x1000, "f"},
		{"1000 10 f\n", 0x100f, "f"},
		{"1000 10 f\n", 0x1010, ""},
		{"1000 10 f\n", 0xfff, ""},
		{"0x1000 0X10 f g:h(i)\r\n", 0x1000, "f g:h(i)"},
		/* a line that has no end yet */
		{"1000 10 f", 0x1000, ""},
		/* no number, no size, no name, nothing in it, numbers too long */
		{"x 10 f\n", 0, ""},
		{"-1000 10 f\n", 0x1000, ""},
		{"1000\n", 0x1000, ""},
		{"1000 10\n", 0x1000, ""},
		{"1000 10 \n", 0x1000, ""},
		{"1000 0 f\n", 0x1000, ""},
		{"00000000000001000 10 f\n", 0x1000, ""},
		{"\n\n \n1000 10 f\n", 0x1000, "f"},
		/* it wraps; it ends with the last address */
		{"fffffffffffffff0 20 f\n", 0xfffffffffffffff8, ""},
		{"fffffffffffffff0 f f\n", 0xfffffffffffffff8, "f"},
		/* the newest counts, and what it does not cover stays */
		{"1000 100 f\n1040 10 g\n", 0x1048, "g"},
		{"1000 100 f\n1040 10 g\n", 0x1058, "f"},
		{"1040 10 g\n1000 100 f\n", 0x1048, "f"},
		{"1000 10 f\n1000 20 g\n", 0x1018, "g"},
		{"1000 20 f\n1000 10 g\n", 0x1018, ""},
		/* bytes that do harm on a terminal, or are no text */
		{"1000 10 a\x1b[2J\xff\n", 0x1000, "a\\x1b[2J\\xff"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_map_state s = {0};
		struct code_map m = {0};

		perf_map_take(&s, &m, cases[i].text, strlen(cases[i].text));
		assert_string_equal(name_at(&m, cases[i].at), cases[i].name);
		code_map_release(&m);
	}
}

static void test_replaced(void **state)
{
	static const char text[] = "1000 100 f\n2000 100 g\n1fff 10 h\n1080 10 i\n";
	struct perf_map_state s = {0};
	struct code_map m = {0};

	(void)state;
	perf_map_take(&s, &m, text, sizeof(text) - 1);
	assert_false(code_map_is_replaced(&m, code_map_at(&m, 0x1000)));
	assert_string_equal(name_at(&m, 0x2050), "g");
	assert_true(code_map_is_replaced(&m, code_map_at(&m, 0x2050)));
	assert_false(code_map_is_replaced(&m, code_map_at(&m, 0x1085)));
	code_map_release(&m);
}

/* Any number of functions, one over the other, cost neither memory nor time. */
static void test_many(void **state)
{
	struct code_map m = {0};

	(void)state;
	for (uint64_t i = 0; i < CODE_MAP_FUNCTIONS_MAX + 10; i++)
		code_map_add(&m, 0x1000 + i, UINT64_C(1) << 40, "f", 1);
	assert_true(m.is_full);
	assert_int_equal(m.functions.len, CODE_MAP_FUNCTIONS_MAX);
	assert_non_null(code_map_at(&m, UINT64_C(1) << 39));
	assert_int_equal(code_map_at(&m, 0x1000 + 7)->start, 0x1000 + 7);
	code_map_release(&m);
}

/* ---- jitdump ---- */

struct dump_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

static void put_header(struct strbuf *b)
{
	const struct dump_header h = {.magic = 0x4a695444,
				      .version = 1,
				      .size = sizeof(h),
				      .machine = EM_X86_64};

	strbuf_add(b, &h, sizeof(h));
}

static void put_record(struct strbuf *b, uint32_t kind, const void *body, uint32_t n)
{
	const uint32_t head[] = {kind, n + 16, 0, 0};

	strbuf_add(b, head, sizeof(head));
	strbuf_add(b, body, n);
}

static void put_load(struct strbuf *b, uint64_t at, const char *name, uint64_t size)
{
	const uint64_t load[] = {1, at, at, size, 7};
	struct strbuf body = {0};

	strbuf_add(&body, load, sizeof(load));
	strbuf_add(&body, name, strlen(name) + 1);
	strbuf_pad(&body, '\xcc', size);
	put_record(b, 0, body.data, (uint32_t)body.len);
	strbuf_release(&body);
}

/* Feeds the dump in pieces of n bytes, as a file that grows. */
static void feed(struct jitdump_state *s, struct code_map *m, const struct strbuf *b,
		 size_t n)
{
	size_t done = 0;

	for (size_t there = n; done < b->len; there += n) {
		there = there < b->len ? there : b->len;
		if (done < there)
			done += jitdump_take(s, m, b->data + done, there - done);
		if (there == b->len)
			break;
	}
}

static void test_dump(void **state)
{
	static const size_t pieces[] = {1, 7, 64, 4096};
	const uint64_t move[] = {1, 0x9000, 0x1000, 0x9000, 0x10, 7};
	struct strbuf b = {0};

	(void)state;
	put_header(&b);
	put_load(&b, 0x1000, "f", 3000);
	put_record(&b, 2, "debug", 5);
	put_load(&b, 0x5000, "g;\x1b", 10);
	put_record(&b, 1, move, sizeof(move));
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		struct jitdump_state s = {0};
		struct code_map m = {0};

		feed(&s, &m, &b, pieces[i]);
		assert_false(s.is_damaged);
		assert_string_equal(name_at(&m, 0x1000 + 2999), "f");
		assert_string_equal(name_at(&m, 0x5000), "g;\\x1b");
		assert_string_equal(name_at(&m, 0x900f), "f");
		assert_string_equal(name_at(&m, 0x9010), "");
		code_map_release(&m);
	}
	strbuf_release(&b);
}

/* A damaged one is read no further, and what is cut is not read at all. */
static void test_dump_damaged(void **state)
{
	const struct dump_header good = {0x4a695444, 1, sizeof(good), EM_X86_64, 0, 0,
					 0,	     0};
	struct dump_header bad[4] = {good, good, good, good};
	const uint32_t small[] = {0, 15, 0, 0};

	(void)state;
	bad[0].magic++;
	bad[1].version = 2;
	bad[2].machine = EM_386;
	bad[3].size = 8;
	for (size_t i = 0; i <= ARRAY_LEN(bad); i++) {
		struct jitdump_state s = {0};
		struct code_map m = {0};
		struct strbuf b = {0};

		strbuf_add(&b, i < ARRAY_LEN(bad) ? &bad[i] : &good, sizeof(good));
		if (i == ARRAY_LEN(bad))
			strbuf_add(&b, small, sizeof(small));
		put_load(&b, 0x1000, "f", 16);
		assert_int_equal(jitdump_take(&s, &m, b.data, b.len), b.len);
		assert_true(s.is_damaged);
		assert_string_equal(name_at(&m, 0x1000), "");
		code_map_release(&m);
		strbuf_release(&b);
	}
}

/* ---- files ---- */

struct folder {
	char path[64];
	int fd;
	struct map_file_rule rule;
	struct map_file file;
	const char *why;
};

static void folder_make(struct folder *f)
{
	snprintf(f->path, sizeof(f->path), "/tmp/generated-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	f->fd = open(f->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	f->rule = (struct map_file_rule){getuid(), 0};
	map_file_init(&f->file, MAP_FILE_PERF_MAP);
}

static void folder_write(const struct folder *f, int flags, const char *text)
{
	int fd = openat(f->fd, "map", O_WRONLY | O_CREAT | flags, 0644);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int folder_open(struct folder *f)
{
	const struct map_file_place place = {f->fd, "map", 0};

	return map_file_open(&f->file, &place, &f->rule, &f->why);
}

static void folder_remove(struct folder *f)
{
	map_file_release(&f->file);
	unlinkat(f->fd, "map", 0);
	unlinkat(f->fd, "map", AT_REMOVEDIR);
	rmdir(f->path);
	close(f->fd);
}

enum shape { REGULAR, SYMLINK, DANGLING, FIFO, FOLDER, SHARED, FOREIGN, OLD, ABSENT };

static void shape_file(struct folder *f, enum shape shape)
{
	if (shape == SYMLINK)
		assert_int_equal(symlinkat("/etc/passwd", f->fd, "map"), 0);
	else if (shape == DANGLING)
		assert_int_equal(symlinkat("nowhere", f->fd, "map"), 0);
	else if (shape == FIFO)
		assert_int_equal(mkfifoat(f->fd, "map", 0644), 0);
	else if (shape == FOLDER)
		assert_int_equal(mkdirat(f->fd, "map", 0755), 0);
	else if (shape != ABSENT)
		folder_write(f, O_EXCL, "1000 10 f\n");
	if (shape == SHARED)
		assert_int_equal(fchmodat(f->fd, "map", 0646, 0), 0);
	if (shape == FOREIGN)
		f->rule.user++;
	if (shape == OLD)
		f->rule.since = clock_ns(CLOCK_REALTIME) + UINT64_C(3600000000000);
}

static void test_rules(void **state)
{
	static const struct {
		enum shape shape;
		int status;
		const char *why;
	} cases[] = {
		{REGULAR, 0, NULL},
		{ABSENT, STATUS_NOENT, NULL},
		{OLD, STATUS_NOENT, NULL},
		{SYMLINK, STATUS_PERM, "it is a symbolic link"},
		{DANGLING, STATUS_PERM, "it is a symbolic link"},
		{FIFO, STATUS_PERM, "it is not a regular file"},
		{FOLDER, STATUS_PERM, "it is not a regular file"},
		{SHARED, STATUS_PERM, "others may write to it"},
		{FOREIGN, STATUS_PERM, "it belongs to another user than the process"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct folder f;

		folder_make(&f);
		shape_file(&f, cases[i].shape);
		assert_int_equal(folder_open(&f), cases[i].status);
		if (cases[i].why)
			assert_string_equal(f.why, cases[i].why);
		else
			assert_null(f.why);
		assert_int_equal(f.file.fd >= 0, cases[i].status == 0);
		folder_remove(&f);
	}
}

/* A file grows in the midst of a line, is written anew, shorter or longer, and ends. */
static void test_growth(void **state)
{
	static const struct {
		int flags;
		const char *text;
		uint64_t at;
		const char *name;
	} steps[] = {
		{0, "1000 10 first\n20", 0x1000, "first"},
		{O_APPEND, "00 10 sec", 0x2000, ""},
		{O_APPEND, "ond\n", 0x2000, "second"},
		{O_APPEND, "1000 10 third\n", 0x1000, "third"},
		{O_TRUNC, "1000 10 new\n", 0x2000, ""},
		{O_APPEND, "3000 10 more\n", 0x3000, "more"},
		{O_TRUNC, "1000 10 same length or longer, whatever\n2000 10 x\n",
		 0x3000, ""},
		{O_APPEND, "4000 10 end\n", 0x4000, "end"},
		{O_TRUNC, "", 0x4000, ""},
	};
	struct folder f;

	(void)state;
	folder_make(&f);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		uint64_t before = f.file.generation;

		folder_write(&f, steps[i].flags, steps[i].text);
		if (f.file.fd < 0)
			assert_int_equal(folder_open(&f), 0);
		map_file_read(&f.file);
		assert_string_equal(name_at(&f.file.functions, steps[i].at),
				    steps[i].name);
		assert_true(f.file.generation > before || i == 1);
	}
	folder_remove(&f);
}

/* A line without end is skipped; the one after it counts. */
static void test_endless_line(void **state)
{
	struct strbuf text = {0};
	struct folder f;

	(void)state;
	folder_make(&f);
	strbuf_puts(&text, "1000 10 a");
	strbuf_pad(&text, 'a', 3 * CODE_STREAM_MAX);
	strbuf_puts(&text, "\n2000 10 f\n");
	folder_write(&f, 0, text.data);
	assert_int_equal(folder_open(&f), 0);
	map_file_read(&f.file);
	assert_string_equal(name_at(&f.file.functions, 0x1000), "");
	assert_string_equal(name_at(&f.file.functions, 0x2000), "f");
	folder_remove(&f);
	strbuf_release(&text);
}

/* ---- a process: this one ---- */

static void see_note(void *ctx, int pid, const char *text)
{
	assert_int_equal(pid, getpid());
	snprintf(ctx, 160, "%s", text);
}

/* Its map is found when it is there, and still known when the process has ended. */
static void test_process(void **state)
{
	char path[64], noted[160] = "";
	struct jit *j = jit_new(see_note, noted);
	const uint64_t pid = (uint64_t)getpid();
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	jit_follow(j, getpid());
	assert_null(jit_at(j, pid, 0x1000));
	assert_int_equal(jit_generation(j, pid), 0);
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
	assert_int_equal(write(fd, "1000 10 f\n", 10), 10);
	jit_end(j, getpid());
	assert_string_equal(jit_at(j, pid, 0x1001)->name, "f");
	assert_null(jit_at(j, pid + 1, 0x1001));
	assert_true(jit_generation(j, pid) > 0);
	assert_string_equal(noted, "");
	/* another program in the same process */
	assert_int_equal(fchmod(fd, 0666), 0);
	jit_follow(j, getpid());
	assert_null(jit_at(j, pid, 0x1001));
	assert_string_equal(strrchr(noted, '.'),
			    ".map is not read: others may write to it");
	close(fd);
	unlink(path);
	jit_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_dump_damaged),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_endless_line),
		cmocka_unit_test(test_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
