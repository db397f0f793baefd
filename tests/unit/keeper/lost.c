/* SPDX-License-Identifier: MIT */
/* Sites that a process has overwritten are forgotten; those of a process that ends are not. */
#include "tests/unit/support/stopped_child.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/sites/lost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#define BYTES	    8192u
#define STANDS	    100u
#define OVERWRITTEN 5000u

static void add_site(struct space *s, const uint8_t *at)
{
	struct insn in = {.addr = taddr_of((uintptr_t)at), .len = 1, .bytes = {0x55}};

	bpt_add(&s->bpts, &in)->is_set = true;
}

static struct addr_range all(const uint8_t *code)
{
	return (struct addr_range){taddr_of((uintptr_t)code),
				   taddr_of((uintptr_t)code + BYTES)};
}

/* What is forgotten, of the process as it is. */
static void expect_lost(struct space *s, const uint8_t *code, const uint8_t *at)
{
	const struct addr_range r = all(code);
	struct addr_range lost;

	assert_int_equal(sites_forget_lost(s, &r, &lost), at != NULL);
	assert_int_equal(lost.lo.v, (uintptr_t)at);
	assert_int_equal(lost.hi.v, at ? (uintptr_t)at + 1 : 0);
}

/* In which one of two breakpoints has been overwritten. */
static uint8_t *map_code(void)
{
	uint8_t *code = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(code != MAP_FAILED);
	code[STANDS] = BPT_BYTE;
	code[OVERWRITTEN] = 0x90;
	return code;
}

static void check(bool has_ended)
{
	uint8_t *code = map_code();
	struct space *s = space_new();
	pid_t pid = stopped_child();

	s->mem = mem_open(pid);
	assert_true(s->mem >= 0);
	add_site(s, code + STANDS);
	add_site(s, code + OVERWRITTEN);
	if (has_ended) {
		end_child(pid);
		expect_lost(s, code, NULL);
	} else {
		expect_lost(s, code, code + OVERWRITTEN);
		expect_lost(s, code, NULL);
		end_child(pid);
	}
	space_unref(s);
	munmap(code, BYTES);
}

static void test_overwritten(void **state)
{
	(void)state;
	check(false);
}

/* A page with a site, behind one that is there, has gone. */
static void test_unmapped(void **state)
{
	uint8_t *code = map_code();
	struct space *s = space_new();
	pid_t pid;

	(void)state;
	assert_int_equal(munmap(code + BYTES / 2, BYTES / 2), 0);
	pid = stopped_child();
	s->mem = mem_open(pid);
	assert_true(s->mem >= 0);
	add_site(s, code + OVERWRITTEN);
	add_site(s, code + STANDS);
	expect_lost(s, code, code + OVERWRITTEN);
	expect_lost(s, code, NULL);
	end_child(pid);
	space_unref(s);
	munmap(code, BYTES / 2);
}

static void test_ended(void **state)
{
	(void)state;
	check(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overwritten),
		cmocka_unit_test(test_unmapped),
		cmocka_unit_test(test_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
