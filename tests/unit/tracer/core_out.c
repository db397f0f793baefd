/* SPDX-License-Identifier: MIT */
/* The file of a core: it has no name before it is whole, and replaces only the user's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/dump/core_out.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

static char folder[] = "/tmp/core_out-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/core", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* What the file has; "none": there is none. */
static void has(const char *expected)
{
	char text[16] = "";
	FILE *f = fopen(path, "r");

	if (f && !fgets(text, sizeof(text), f))
		text[0] = 0;
	assert_string_equal(f ? text : "none", expected);
	if (f)
		fclose(f);
}

static struct core_out opened(void)
{
	struct core_out o;
	struct err e = {.status = 0};

	if (core_out_open(&o, path, &e))
		fail_msg("%s", e.text);
	assert_int_equal(write(o.fd, "new", 3), 3);
	return o;
}

/* The old file, or none, is there until the new one is whole. */
static void test_appears(void **state)
{
	static const char *const before[] = {"none", "an old one"};
	struct err e;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct core_out o;

		if (i)
			put(before[i]);
		o = opened();
		if (!o.is_unnamed)
			skip(); /* this file system has only files with names */
		has(before[i]);
		core_out_remove(&o);
		core_out_close(&o);
		has(before[i]);
		o = opened();
		assert_int_equal(core_out_keep(&o, &e), 0);
		core_out_close(&o);
		has("new");
		unlink(path);
	}
}

/* What is there by now is not the user's. */
static void test_not_replaced(void **state)
{
	struct core_out o = opened();
	struct err e;

	(void)state;
	if (!o.is_unnamed)
		skip();
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(core_out_keep(&o, &e), STATUS_PERM);
	core_out_remove(&o);
	core_out_close(&o);
	assert_int_equal(core_out_open(&o, path, &e), STATUS_PERM);
	assert_int_equal(o.fd, -1);
}

/* In a folder that takes no files the old one is written over, and goes if that fails. */
static void test_named(void **state)
{
	struct core_out o;
	struct err e;

	(void)state;
	put("an old one");
	if (geteuid() == 0) {
		assert_int_equal(chown(path, NOBODY, NOBODY), 0);
		assert_int_equal(chmod(folder, 0755), 0);
		assert_int_equal(seteuid(NOBODY), 0);
	} else {
		assert_int_equal(chmod(folder, 0555), 0);
	}
	o = opened();
	assert_false(o.is_unnamed);
	has("new");
	assert_int_equal(core_out_keep(&o, &e), 0);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(folder, 0755), 0);
	core_out_remove(&o);
	core_out_close(&o);
	has("none");
}

static void test_refused(void **state)
{
	static const char *const names[] = {"", "/", "/none/core", "/."};
	struct core_out o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s%s", folder, names[i]);
		assert_int_not_equal(core_out_open(&o, path, &e), 0);
		assert_int_equal(o.fd, -1);
	}
	snprintf(path, sizeof(path), "%s/core", folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_appears, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_not_replaced, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_named, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_refused, make_folder,
						remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
