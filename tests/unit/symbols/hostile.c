/* SPDX-License-Identifier: MIT */
/*
 * Damaged files: whatever the bytes are, loading ends with an error or with
 * functions that keep the promises of symbols.h. Under the sanitizers a read
 * outside is fatal. The damage comes from a fixed seed, so a failure repeats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mman.h>

#include "symbols/internal.h"
#include "symbols/symbols.h"
#include "tests/unit/support/symbols_build.h"
#include "vm/base/host/oom.h"

#define ROUNDS	   4000
#define MAPS_EVERY 16

static const char source[] =
	"__attribute__((cold, noinline)) static int fail(int n) { return n * 3; }\n"
	"__attribute__((noinline)) static int inner(int n) { return n > 9 ? fail(n) : "
	"n; }\n"
	"int outer(int n) { return inner(n) + inner(n + 1); }\n"
	"int same(int n) __attribute__((alias(\"outer\")));\n"
	"int weak(int n) __attribute__((weak, alias(\"outer\")));\n"
	"int data = 3;\n";

static uint64_t seed;

struct image {
	uint8_t *good, *bad;
	size_t n;
	char path[256];
	int fd;
};

static void image_open(struct image *im, const char *name)
{
	FILE *f;
	struct stat st;

	snprintf(im->path, sizeof(im->path), "%s", in_dir(name));
	f = fopen(im->path, "r");
	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	im->n = (size_t)st.st_size;
	im->good = oom_calloc(im->n, 1);
	im->bad = oom_calloc(im->n, 1);
	assert_int_equal(fread(im->good, 1, im->n, f), im->n);
	fclose(f);
	im->fd = open(im->path, O_RDWR | O_CLOEXEC);
	assert_true(im->fd >= 0);
}

static void image_release(struct image *im)
{
	close(im->fd);
	free(im->good);
	free(im->bad);
}

/* A place in the ELF header, a table, or anywhere. */
static size_t draw_place(const struct image *im)
{
	Elf64_Ehdr h;
	uint64_t at;

	memcpy(&h, im->good, sizeof(h));
	switch (draw(&seed, 4)) {
	case 0:
		return (size_t)draw(&seed, sizeof(h));
	case 1:
		at = h.e_phoff + draw(&seed, (uint64_t)h.e_phnum * h.e_phentsize + 1);
		break;
	case 2:
		at = h.e_shoff + draw(&seed, (uint64_t)h.e_shnum * h.e_shentsize + 1);
		break;
	default:
		at = draw(&seed, im->n);
	}
	return (size_t)min_u64(at, im->n - 1);
}

static void damage(struct image *im)
{
	static const uint64_t nasty[] = {
		0,
		1,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x7fffffffffffffff,
		0x8000000000000000,
		UINT64_MAX,
		UINT64_MAX - 23,
		24,
		0x1000,
	};
	size_t n = im->n, times = 1 + (size_t)draw(&seed, 6);

	memcpy(im->bad, im->good, n);
	for (size_t i = 0; i < times; i++) {
		size_t at = draw_place(im), width = (size_t)1 << draw(&seed, 4);
		uint64_t v = draw(&seed, 2) ? nasty[draw(&seed, ARRAY_LEN(nasty))]
					    : draw(&seed, UINT64_MAX);

		if (draw(&seed, 3) == 0)
			im->bad[at] ^= (uint8_t)(1 << draw(&seed, 8));
		else if (width <= n - at)
			memcpy(im->bad + at, &v, width);
	}
	if (draw(&seed, 5) == 0)
		n = (size_t)draw(&seed, n);
	assert_int_equal(ftruncate(im->fd, (off_t)n), 0);
	assert_int_equal(pwrite(im->fd, im->bad, n, 0), n);
}

static struct module *fake_module(const struct image *im)
{
	struct module *m = oom_calloc(1, sizeof(*m));
	struct stat st;

	assert_int_equal(fstat(im->fd, &st), 0);
	m->internal = oom_calloc(1, sizeof(*m->internal));
	m->path = oom_calloc(1, sizeof(im->path));
	strcpy(m->path, im->path);
	m->internal->file = (struct mapped_file){
		.tid = getpid(), .dev = st.st_dev, .ino = st.st_ino, .path = m->path};
	return m;
}

static void count_one(void *ctx, const struct symbol *s)
{
	assert_false(symbol_is_skipped_by_globs(s));
	++*(size_t *)ctx;
}

static void check_promises(const struct module *m)
{
	size_t told, n = 0;

	for (size_t i = 0; i < m->nsymbols; i++) {
		const struct symbol *s = &m->symbols[i];

		assert_true(s->size > 0 && s->name[0]);
		assert_true(s->size <= UINT64_MAX - s->value);
		assert_true(i == 0 || m->symbols[i - 1].value <= s->value);
		assert_true(s->first_part + (size_t)s->nparts <= m->nparts);
		assert_non_null(module_find(m, s->name));
		assert_true(module_count(m, s->name) >= 1);
		assert_non_null(module_at(m, module_address(m, s->value)));
		assert_true(symbol_holds(m, s, module_address(m, s->value)));
	}
	told = module_match(m, "", count_one, &n);
	assert_int_equal(told, n);
	assert_true(n <= m->nsymbols);
}

static void use(const struct module *m)
{
	const char *near[3];
	taddr addr;

	check_promises(m);
	module_nearest(m, "outr", near, ARRAY_LEN(near));
	module_at(m, taddr_of(draw(&seed, UINT64_MAX)));
	module_lookup_any(m, "data", &addr);
}

static void ignore(void *ctx, struct module *m)
{
	(void)ctx;
	(void)m;
}

/* The damaged file is mapped here, so reading our own maps opens it. */
static void read_mapped(const struct image *im)
{
	struct modules *ms;
	struct err e;
	void *map = mmap(NULL, im->n, PROT_READ | PROT_EXEC, MAP_PRIVATE, im->fd, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(modules_read(getpid(), &ms, &e), 0);
	modules_select(ms, im->path, ignore, NULL);
	modules_select(ms, "lib*", ignore, NULL);
	modules_free(ms);
	munmap(map, im->n);
}

static void torture(const char *name)
{
	size_t loaded = 0, refused = 0;
	struct image im;

	seed = 0x9e3779b97f4a7c15;
	image_open(&im, name);
	for (size_t i = 0; i < ROUNDS; i++) {
		struct program_file p;
		struct module *m;
		struct err e;

		damage(&im);
		m = fake_module(&im);
		if (module_load_symbols(m, &e) == 0) {
			loaded++;
			use(m);
		} else {
			refused++;
			assert_true(e.text[0]);
		}
		module_free(m);
		program_file_read(im.path, &p, &e);
		if (i % MAPS_EVERY == 0)
			read_mapped(&im);
	}
	/* a test in which nothing or everything is refused tests little */
	assert_true(loaded > ROUNDS / 10 && refused > ROUNDS / 10);
	image_release(&im);
}

static void build(const char *name)
{
	assert_true(compile(name, source,
			    "-O2 -shared -fPIC -nostdlib -Wl,-z,noseparate-code "
			    "-Wl,-soname,libhostile.so.1 -Wl,--hash-style=both"));
}

static void test_full_table(void **state)
{
	(void)state;
	build("full");
	torture("full");
}

static void test_stripped(void **state)
{
	(void)state;
	build("stripped");
	assert_true(shell("strip stripped"));
	torture("stripped");
}

static void test_no_sections(void **state)
{
	struct image im;

	(void)state;
	build("bare");
	assert_true(shell("strip bare"));
	image_open(&im, "bare");
	memset(im.good + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	memset(im.good + offsetof(Elf64_Ehdr, e_shnum), 0, 4);
	assert_int_equal(pwrite(im.fd, im.good, im.n, 0), im.n);
	image_release(&im);
	torture("bare");
}

/* Every length there is, once. */
static void test_every_truncation(void **state)
{
	struct image im;

	(void)state;
	build("cut");
	image_open(&im, "cut");
	for (size_t n = 0; n < im.n; n += 7) {
		struct module *m = fake_module(&im);
		struct err e;

		assert_int_equal(ftruncate(im.fd, (off_t)n), 0);
		assert_int_equal(pwrite(im.fd, im.good, n, 0), n);
		if (module_load_symbols(m, &e) == 0)
			use(m);
		module_free(m);
	}
	image_release(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_table),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_no_sections),
		cmocka_unit_test(test_every_truncation),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
