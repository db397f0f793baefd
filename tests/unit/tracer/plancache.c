/* SPDX-License-Identifier: MIT */
/*
 * Plans that are kept: what is read is what was written, or it is refused; the folder is
 * used only if it is the user's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/plancache/fits.h"
#include "tracer/plancache/folder.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATCH UINT64_C(0x4000)

/* push %rbp; mov %rsp, %rbp; push %rbx; then 5 bytes of nop */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x53, 0x0f, 0x1f, 0x44, 0, 0};

static struct plan_tape_entry entry_of(enum hook_tactic tactic)
{
	struct plan_tape_entry e = {.n = 1, .begins_part = true};
	struct hook_plan *p = &e.plan;

	*p = (struct hook_plan){.site = taddr_of(PATCH),
				.patch = taddr_of(PATCH),
				.tactic = tactic,
				.covered = 5,
				.ninsns = 3,
				.nsites = 1};
	memcpy(p->original, code, sizeof(code));
	return e;
}

static struct plan_tape_entry refusal(void)
{
	struct plan_tape_entry e = entry_of(HOOK_BREAKPOINT);

	e.plan.reason = HOOK_REASON_TOO_SHORT;
	e.plan.covered = e.plan.ninsns = 0;
	e.begins_part = false;
	memset(e.plan.original, 0, sizeof(e.plan.original));
	return e;
}

/* Two sites for two wants, the second one behind padding's begin. */
static struct plan_tape_entry shared(void)
{
	struct plan_tape_entry e = entry_of(HOOK_JMP);

	e.n = 2;
	e.plan.site = taddr_of(PATCH + 1);
	e.plan.covered = 10;
	e.plan.padding = 5;
	e.plan.nsites = 2;
	e.plan.sites[0] = (struct hook_plan_site){1, 0};
	e.plan.sites[1] = (struct hook_plan_site){4, 0};
	return e;
}

static struct plan_tape_entry with_island(void)
{
	struct plan_tape_entry e = entry_of(HOOK_JMP_SHORT);

	e.plan.island = (struct hook_island){taddr_of(PATCH + 64), 5, 0, 0, {0x90}};
	e.plan.patch = e.plan.site = taddr_of(PATCH + 32);
	return e;
}

static void all_plans(struct plan_tape_entry out[4])
{
	out[0] = entry_of(HOOK_JMP);
	out[1] = refusal();
	out[2] = shared();
	out[3] = with_island();
	/* bytes behind those that a plan holds are not kept */
	for (size_t i = 0; i < 4; i++)
		memset(out[i].plan.original + out[i].plan.covered, 0,
		       HOOK_COVERED_MAX - out[i].plan.covered);
}

static void test_same(void **state)
{
	struct plan_tape_entry in[4], out;
	struct plan_tape tape = {0};

	(void)state;
	all_plans(in);
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		plan_tape_add(&tape, &in[i]);
	for (int turn = 0; turn < 2; turn++) {
		plan_tape_rewind(&tape);
		for (size_t i = 0; i < ARRAY_LEN(in); i++) {
			assert_true(plan_tape_next(&tape, &out));
			assert_int_equal(out.n, in[i].n);
			assert_int_equal(out.begins_part, in[i].begins_part);
			assert_memory_equal(&out.plan, &in[i].plan, sizeof(out.plan));
			assert_int_equal(plan_tape_goes_on(&tape), i == 0);
		}
		assert_false(plan_tape_next(&tape, &out));
	}
	plan_tape_release(&tape);
}

/* A file with many plans, none of which is where a piece of the file begins. */
static void test_windows(void **state)
{
	enum { PLANS = 5000, HEAD = 7 };
	struct plan_tape_entry in[4], out;
	struct plan_tape made = {0}, tape;
	int fd = memfd_create("plans", MFD_CLOEXEC);
	ssize_t n;

	(void)state;
	all_plans(in);
	for (size_t i = 0; i < PLANS; i++)
		plan_tape_add(&made, &in[i * 7 % 11 % 4]);
	n = (ssize_t)made.bytes.len;
	assert_int_equal(pwrite(fd, made.bytes.data, made.bytes.len, HEAD), n);
	assert_int_equal(ftruncate(fd, HEAD + n + 100), 0);
	plan_tape_open(&tape, fd, HEAD, (uint64_t)(HEAD + n));
	for (int turn = 0; turn < 3; turn++) {
		const size_t end = turn ? PLANS : PLANS / 3;

		plan_tape_rewind(&tape);
		for (size_t i = 0; i < end; i++) {
			const struct plan_tape_entry *e = &in[i * 7 % 11 % 4];

			assert_true(plan_tape_next(&tape, &out));
			assert_memory_equal(&out.plan, &e->plan, sizeof(out.plan));
			assert_true(tape.bytes.cap < made.bytes.len / 2);
		}
	}
	assert_false(plan_tape_next(&tape, &out));
	/* it is cut short while it is read */
	plan_tape_rewind(&tape);
	assert_true(plan_tape_next(&tape, &out));
	assert_int_equal(ftruncate(fd, HEAD + n / 2), 0);
	for (n = 1; plan_tape_next(&tape, &out); n++)
		;
	assert_in_range(n, PLANS / 3, PLANS * 2 / 3);
	plan_tape_release(&tape);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	plan_tape_release(&made);
}

/* Every change of a byte and every cut gives plans that are sound, or none. */
static void test_damaged(void **state)
{
	struct plan_tape_entry in[4], out;
	struct plan_tape whole = {0};
	unsigned refused = 0;

	(void)state;
	all_plans(in);
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		plan_tape_add(&whole, &in[i]);
	for (size_t at = 0; at < whole.bytes.len; at++) {
		for (unsigned value = 0; value < 256; value++) {
			struct plan_tape tape = {0};

			/* in memory of its own length: what reads on is noticed */
			strbuf_add(&tape.bytes, whole.bytes.data, whole.bytes.len);
			tape.bytes.data[at] = (char)value;
			strbuf_cut(&tape.bytes, value ? whole.bytes.len : at);
			while (plan_tape_next(&tape, &out))
				assert_true(!hook_plan_is_jump(&out.plan) ||
					    (hook_plan_is_sound(&out.plan) &&
					     hook_plan_is_read(&out.plan)));
			refused += tape.at < tape.bytes.len;
			plan_tape_release(&tape);
		}
	}
	assert_true(refused > whole.bytes.len);
	plan_tape_release(&whole);
}

/* Memory is `code` at PATCH, and zero elsewhere. */
static int read_code(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++) {
		uint64_t skip = at.v + i - PATCH;

		buf[i] = skip < sizeof(code) ? code[skip] : 0;
	}
	return 0;
}

static bool fits(const struct plan_tape_entry *e, const struct hook_probe_point *wants,
		 size_t n, uint64_t floor)
{
	const struct hook_function f = {.lo = taddr_of(PATCH),
					.hi = taddr_of(PATCH + sizeof(code)),
					.wants = wants,
					.nwants = n,
					.read = read_code};
	struct plan_fit fit = {&f, 0, taddr_of(floor)};

	return plan_fit_next(&fit, e) && plan_fit_is_done(&fit);
}

/* A plan is for what is wanted, in its place, in memory as it is: else it is not used. */
static void test_fits(void **state)
{
	struct hook_probe_point w[2] = {{.pc = taddr_of(PATCH), .is_before = true}};
	struct plan_tape_entry e = entry_of(HOOK_JMP);

	(void)state;
	assert_true(fits(&e, w, 1, PATCH));
	assert_false(fits(&e, w, 1, PATCH + 1)); /* others' bytes */
	w[0].no_jump = true;
	assert_false(fits(&e, w, 1, PATCH));
	w[0].no_jump = false;
	w[0].pc = taddr_of(PATCH + 1); /* elsewhere */
	assert_false(fits(&e, w, 1, PATCH));
	e = shared();
	w[1] = (struct hook_probe_point){.pc = taddr_of(PATCH + 4), .is_exit = true};
	assert_false(fits(&e, w, 1, PATCH)); /* more than is wanted */
	w[0].is_before = true;
	assert_true(fits(&e, w, 2, PATCH));
	e.plan.nsites = 1; /* less */
	assert_false(fits(&e, w, 2, PATCH));
	e = shared();
	e.plan.original[3] ^= 1; /* other memory */
	assert_false(fits(&e, w, 2, PATCH));
	e = refusal();
	w[0].pc = taddr_of(PATCH);
	assert_true(fits(&e, w, 1, PATCH));
	assert_false(fits(&e, w, 2, PATCH));
	w[0].pc = taddr_of(PATCH + 1);
	assert_false(fits(&e, w, 1, PATCH));
}

#define TEMP_PATH 64

struct temp_folder {
	char path[TEMP_PATH];
};

static void temp_folder_make(struct temp_folder *t)
{
	strcpy(t->path, "/tmp/plancache-XXXXXX");
	assert_non_null(mkdtemp(t->path));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void temp_folder_remove(const struct temp_folder *t)
{
	assert_int_equal(nftw(t->path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void put(int folder, const char *name, const char *text)
{
	struct strbuf content = {0};

	strbuf_puts(&content, text);
	folder_write(folder, name, &content);
	strbuf_release(&content);
}

static bool read_file(int folder, const char *name, char *to, size_t most)
{
	uint64_t bytes;
	int fd = folder_open_file(folder, name, &bytes);
	bool is_read =
		fd >= 0 && bytes < most && pread(fd, to, bytes, 0) == (ssize_t)bytes;

	if (fd >= 0)
		close(fd);
	if (is_read)
		to[bytes] = 0;
	return is_read;
}

static bool has(int folder, const char *name, const char *text)
{
	char content[64];

	return read_file(folder, name, content, sizeof(content)) &&
	       strcmp(content, text) == 0;
}

static void test_folder(void **state)
{
	struct temp_folder temp;
	char path[TEMP_PATH + 16], file[TEMP_PATH + 32];
	int folder, parent;

	(void)state;
	temp_folder_make(&temp);
	setenv("XDG_CACHE_HOME", temp.path, 1);
	snprintf(path, sizeof(path), "%s/dtrace", temp.path);
	folder = folder_open();
	assert_true(folder >= 0);
	assert_false(folder_has(folder, "aa"));
	put(folder, "aa-bb", "text");
	put(folder, "aa-bb", "other"); /* in its place */
	assert_true(folder_has(folder, "aa-"));
	assert_true(has(folder, "aa-bb", "other"));
	assert_false(has(folder, "aa-cc", "other"));
	snprintf(file, sizeof(file), "%s/aa-bb", path);
	assert_int_equal(chmod(file, 0620), 0); /* others might have written it */
	assert_false(has(folder, "aa-bb", "other"));
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0); /* nobody waits for a writer */
	assert_false(has(folder, "aa-bb", "other"));
	folder_remove(folder, "aa-bb");
	assert_int_equal(symlinkat("/etc/passwd", folder, "aa-bb"), 0);
	assert_false(has(folder, "aa-bb", ""));
	close(folder);
	parent = open(temp.path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(chmod(path, 0770), 0); /* the group may write */
	assert_int_equal(folder_open(), -1);
	assert_int_equal(renameat(parent, "dtrace", parent, "real"), 0);
	assert_int_equal(symlinkat("real", parent, "dtrace"), 0);
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(folder_open(), -1); /* a link, though it leads to our own */
	assert_int_equal(unlinkat(parent, "dtrace", 0), 0);
	if (geteuid() == 0) { /* another's */
		assert_int_equal(renameat(parent, "real", parent, "dtrace"), 0);
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_int_equal(folder_open(), -1);
		assert_int_equal(chown(temp.path, 12345, 12345), 0);
		assert_int_equal(folder_open(), -1);
		assert_int_equal(chown(temp.path, 0, 0), 0);
	}
	close(parent);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	assert_int_equal(folder_open(), -1);
	put(-1, "aa-bb", "text");
	assert_false(folder_has(-1, "aa"));
	temp_folder_remove(&temp);
}

/* The oldest go; so does what a process that was killed has begun, when it is old. */
static void test_bound(void **state)
{
	struct temp_folder temp;
	char name[32];
	struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	int folder, fd;

	(void)state;
	temp_folder_make(&temp);
	setenv("XDG_CACHE_HOME", temp.path, 1);
	folder = folder_open();
	fd = openat(folder, "new.1.0", O_CREAT | O_WRONLY, 0600);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
	close(openat(folder, "new.2.0", O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < FOLDER_FILES; i++) {
		snprintf(name, sizeof(name), "%d", i);
		fd = openat(folder, name, O_CREAT | O_WRONLY, 0600);
		times[0].tv_sec = times[1].tv_sec = 2000 + i;
		assert_int_equal(futimens(fd, times), 0);
		close(fd);
	}
	put(folder, "last", "text");
	assert_false(folder_has(folder, "new.1."));
	assert_true(folder_has(folder, "new.2."));
	assert_int_equal(faccessat(folder, "0", F_OK, 0), -1);
	assert_int_equal(faccessat(folder, "2", F_OK, 0), 0);
	assert_true(has(folder, "last", "text"));
	close(folder);
	temp_folder_remove(&temp);
}

/* Two processes write one file again and again: who reads sees one or the other. */
static void test_two_writers(void **state)
{
	enum { TIMES = 300, LENGTH = 20000 };
	struct temp_folder temp;
	char text[2][LENGTH + 1];
	pid_t pids[2];
	int folder, status;

	(void)state;
	temp_folder_make(&temp);
	setenv("XDG_CACHE_HOME", temp.path, 1);
	folder = folder_open();
	for (int i = 0; i < 2; i++) {
		memset(text[i], 'a' + i, LENGTH);
		text[i][LENGTH] = 0;
	}
	put(folder, "one", text[0]);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			for (int k = 0; k < TIMES; k++)
				put(folder, "one", text[i]);
			_exit(0);
		}
	}
	for (int k = 0; k < TIMES; k++) {
		char now[LENGTH + 1];

		assert_true(read_file(folder, "one", now, sizeof(now)));
		assert_true(strcmp(now, text[0]) == 0 || strcmp(now, text[1]) == 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_false(folder_has(folder, "new."));
	close(folder);
	temp_folder_remove(&temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),	    cmocka_unit_test(test_windows),
		cmocka_unit_test(test_damaged),	    cmocka_unit_test(test_fits),
		cmocka_unit_test(test_folder),	    cmocka_unit_test(test_bound),
		cmocka_unit_test(test_two_writers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
