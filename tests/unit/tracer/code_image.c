/* SPDX-License-Identifier: MIT */
/*
 * Images of modules whose code and data come in windows: the same branches are found, and
 * the same code is there, as when all of the file is in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbols/symbols.h"
#include "tests/unit/support/symbols_build.h"
#include "tracer/targets/code_image.h"

#define STEP 5000 /* bytes of a function, and to the next */

/* Linked for one address: labels are known by words of data, 600 KB into it. */
static const char fixed[] =
	"__asm__(\".section .rodata\\n.fill 300000,2,7\\n.text\\n\");\n"
	"int main(int n, char **v) {\n"
	"	static void *const table[] = {&&a, &&b, &&c};\n"
	"	volatile int i = n; (void)v; goto *table[n % 3];\n"
	"a: i++; b: i += 2; c: return i; }\n";

static const uint8_t *code_at(const struct code_image *v, taddr pc, size_t *left)
{
	const uint8_t *p = NULL;

	for (size_t i = 0; i < v->module.ncode && !p; i++)
		p = hook_bytes_at(&v->module.code[i], pc, left);
	return p;
}

static void compare_code(const struct code_image *whole, struct code_image *windows,
			 const struct hook_bytes *code)
{
	taddr end = taddr_add(code->lo, (int64_t)code->n);

	for (taddr at = code->lo; at.v < end.v; at = taddr_add(at, STEP)) {
		size_t n = (size_t)min_u64(STEP, end.v - at.v), left, all;
		const uint8_t *p;

		assert_true(code_image_hold(windows, at, taddr_add(at, (int64_t)n)));
		p = code_at(windows, at, &left);
		assert_non_null(p);
		assert_true(left >= n);
		assert_memory_equal(p, code_at(whole, at, &all), n);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(hook_branches_has(whole->branches,
							   taddr_add(at, (int64_t)i)),
					 hook_branches_has(windows->branches,
							   taddr_add(at, (int64_t)i)));
	}
}

static struct code_image *open_windows(struct code_images *cache, const char *path,
				       struct module **m)
{
	struct code_image *image;
	struct err e;

	assert_int_equal(module_read_file(path, 0, m, &e), 0);
	assert_int_equal(module_load_symbols(*m, &e), 0);
	image = code_images_get(cache, *m, NULL);
	assert_non_null(image);
	assert_true(code_image_wait(image, UINT32_MAX));
	return image;
}

static void compare_all(const struct code_image *whole, struct code_image *windows)
{
	for (size_t i = 0; i < whole->module.ncode; i++) {
		assert_true(windows->module.code[i].is_window);
		compare_code(whole, windows, &whole->module.code[i]);
	}
}

static void compare(const char *path)
{
	struct code_images cache = {0};
	struct code_image *whole, *windows;
	struct module *m;
	bool has_window = false;
	struct err e;

	windows = open_windows(&cache, path, &m);
	assert_int_equal(code_image_new(m, NULL, &whole, &e), 0);
	for (size_t i = 0; i < windows->module.ndata; i++)
		has_window |= windows->module.data[i].is_window;
	assert_true(has_window);
	assert_int_equal(whole->module.ncode, windows->module.ncode);
	for (int turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < windows->module.ncode; i++)
			assert_int_equal(windows->module.code[i].held, 0);
		compare_all(whole, windows);
		code_image_release_code(windows);
	}
	code_image_free(whole);
	code_images_release(&cache);
	module_free(m);
}

static void test_library(void **state)
{
	(void)state;
	assert_true(shell("cp -L \"$(g++ -print-file-name=libstdc++.so.6)\" lib.so"));
	compare(in_dir("lib.so"));
}

static void test_fixed(void **state)
{
	(void)state;
	assert_true(compile("fixed", fixed, "-O1 -no-pie"));
	compare(in_dir("fixed"));
}

/* A file that is cut since: what cannot be read is not planned. */
static void test_cut(void **state)
{
	struct code_images cache = {0};
	struct code_image *image;
	const struct hook_bytes *code;
	struct module *m;

	(void)state;
	assert_true(shell("cp -L \"$(g++ -print-file-name=libstdc++.so.6)\" cut.so"));
	image = open_windows(&cache, in_dir("cut.so"), &m);
	code = &image->module.code[0];
	assert_int_equal(truncate(in_dir("cut.so"), 4096), 0);
	assert_false(code_image_hold(image, code->lo, taddr_add(code->lo, 100)));
	assert_null(code_at(image, code->lo, &(size_t){0}));
	code_images_release(&cache);
	module_free(m);
}

/* Whether each byte of the function, and of what is beside it, is as the whole has it. */
static bool is_known(const struct code_image *whole, const struct code_image *few,
		     struct addr_range r)
{
	for (taddr pc = r.lo; pc.v < r.hi.v; pc.v++)
		if (hook_branches_has(whole->branches, pc) !=
		    hook_branches_has(few->branches, pc))
			return false;
	return true;
}

/* This process's C library. */
static struct module *own_library(struct modules **all)
{
	struct err e;

	assert_int_equal(modules_read(getpid(), all, &e), 0);
	for (size_t i = 0; i < (*all)->len; i++)
		if (strstr((*all)->data[i]->name, "libc.so")) {
			assert_int_equal(module_load_symbols((*all)->data[i], &e), 0);
			return (*all)->data[i];
		}
	fail_msg("no C library is mapped");
	return NULL;
}

static struct code_image *get(struct code_images *cache, const struct module *m,
			      const struct addr_range *parts, size_t n)
{
	struct code_image *image =
		code_images_get(cache, m, &(struct code_parts){parts, n});

	assert_non_null(image);
	assert_true(code_image_wait(image, UINT32_MAX));
	assert_false(code_image_is_cut(image));
	return image;
}

/* Of a few functions; the same ones again; others, for which all is looked for. */
static void test_few(void **state)
{
	struct code_images cache = {0};
	struct code_image *whole, *few;
	struct addr_range parts[3];
	struct modules *all;
	struct module *m = own_library(&all);
	struct err e;

	(void)state;
	assert_int_equal(code_image_new(m, NULL, &whole, &e), 0);
	for (size_t i = 0; i < 3; i++) {
		const struct symbol *s = &m->symbols[(i + 1) * m->nsymbols / 4];

		parts[i].lo = taddr_of(s->value);
		parts[i].hi = taddr_of(s->value + s->size);
	}
	few = get(&cache, m, parts, 2);
	assert_true(is_known(whole, few, parts[0]));
	assert_true(is_known(whole, few, parts[1]));
	assert_false(is_known(whole, few, parts[2]));
	assert_ptr_equal(few, get(&cache, m, parts + 1, 1));
	assert_false(is_known(whole, few, parts[2]));
	assert_ptr_equal(few, get(&cache, m, parts + 1, 2));
	for (size_t i = 0; i < 3; i++)
		assert_true(is_known(whole, few, parts[i]));
	compare_all(whole, few);
	code_image_free(whole);
	code_images_release(&cache);
	modules_free(all);
}

/* What has been stopped is at an end, and stays so. */
static void test_stopped(void **state)
{
	struct code_images cache = {0};
	struct code_image *image;
	struct modules *all;
	struct module *m = own_library(&all);

	(void)state;
	image = code_images_get(&cache, m, NULL);
	assert_non_null(image);
	code_image_stop(image);
	assert_true(code_image_wait(image, 0));
	assert_ptr_equal(image, code_images_get(&cache, m, NULL));
	code_images_release(&cache);
	modules_free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library), cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_cut),	cmocka_unit_test(test_few),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}
