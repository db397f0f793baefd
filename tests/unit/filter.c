/* SPDX-License-Identifier: MIT */
/*
 * Linked into every unit test: `unit_vm_agg NAME` runs the tests whose names
 * match NAME (a glob), so that ctest can show each as an entry of its own while
 * each test keeps a plain main().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* glibc hands main's arguments to constructors as well. */
__attribute__((constructor)) static void set_filter(int argc, char **argv)
{
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
}
