/* SPDX-License-Identifier: MIT */
/* Breakpoint bytes in memory of the test itself: only what was expected is changed. */
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/space/space.h"
#include "vm/base/host/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ORIGINAL 0x55
#define FOREIGN	 0x90
#define PAGES	 3
#define BYTES	 (PAGES * 4096u)

static const struct {
	uint8_t present, after;
	bool is_set, fails;
} cases[] = {
	{ORIGINAL, BPT_BYTE, true, false}, {FOREIGN, FOREIGN, true, true},
	{BPT_BYTE, BPT_BYTE, true, false}, {BPT_BYTE, ORIGINAL, false, false},
	{FOREIGN, FOREIGN, false, true},   {ORIGINAL, ORIGINAL, false, false},
};

struct patched {
	struct space *space;
	struct bpt_list list;
	uint8_t *at;
	struct procfs_maps maps;
	bool has_failed[2];
};

static void note_failure(void *ctx, uint32_t site)
{
	struct patched *p = ctx;

	p->has_failed[site] = true;
}

/* One site inside a page, one in the last byte of another. */
static void add_sites(struct patched *p)
{
	const uint64_t at[2] = {(uintptr_t)p->at + 17, (uintptr_t)p->at + BYTES - 1};

	for (int i = 0; i < 2; i++) {
		struct insn in = {
			.addr = taddr_of(at[i]), .len = 1, .bytes = {ORIGINAL}};

		bpt_add(&p->space->bpts, &in);
		*vec_push(&p->list) = (uint32_t)i;
	}
}

static struct patched make(int protection)
{
	struct patched p = {.space = space_new()};

	p.at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	assert_true(p.at != MAP_FAILED);
	memset(p.at, 0x11, BYTES);
	assert_int_equal(mprotect(p.at, BYTES, protection), 0);
	p.space->mem = mem_open(getpid());
	assert_true(p.space->mem >= 0);
	assert_int_equal(procfs_maps(getpid(), &p.maps), 0);
	add_sites(&p);
	return p;
}

static void destroy(struct patched *p)
{
	munmap(p->at, BYTES);
	procfs_maps_release(&p->maps);
	vec_release(&p->list);
	space_unref(p->space);
}

static void put(const struct patched *p, size_t at, uint8_t byte)
{
	assert_int_equal(
		pwrite(p->space->mem, &byte, 1, (off_t)((uintptr_t)p->at + at)), 1);
}

/* The first site as the case says; the second as it should be, whatever the first is. */
static void check(int protection, size_t i)
{
	bool is_set = cases[i].is_set;
	uint8_t expected = is_set ? ORIGINAL : BPT_BYTE;
	struct patched p = make(protection);
	struct bpt_write w = {&p.space->bpts, p.space->mem, &p.maps,
			      is_set,	      note_failure, &p};

	put(&p, 17, cases[i].present);
	put(&p, BYTES - 1, expected);
	bpt_write(&w, &p.list);
	assert_int_equal(p.at[17], cases[i].after);
	assert_int_equal(p.has_failed[0], cases[i].fails);
	assert_int_equal(p.at[BYTES - 1], is_set ? BPT_BYTE : ORIGINAL);
	assert_false(p.has_failed[1]);
	for (size_t k = 0; k < BYTES - 1; k++)
		assert_true(k == 17 || p.at[k] == 0x11);
	destroy(&p);
}

/*
 * push, mov of three bytes, ret and nop have sites; int3 follows. After the program has filled some of it with int3, ours is taken out where it
 * still is ours.
 */
static void check_filled(const char *present, const char *after)
{
	static const uint8_t own[] = {0x55, 0x48, 0x89, 0xe5, 0xc3, 0x90, 0xcc};
	static const uint8_t at[] = {0, 1, 4, 5};
	struct patched p = make(PROT_READ);
	struct bpt_write w = {&p.space->bpts, p.space->mem, &p.maps,
			      false,	      note_failure, &p};
	uint8_t *code = p.at + 100;

	p.list.len = 0;
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		enum keeper_reason why;
		struct bpt_site *site =
			bpt_make(&p.space->bpts, taddr_of((uintptr_t)code + at[i]),
				 own + at[i], sizeof(own) - at[i], &why);

		assert_non_null(site);
		site->is_set = true;
		*vec_push(&p.list) = bpt_number(&p.space->bpts, site);
	}
	for (size_t i = 0; i < sizeof(own); i++)
		put(&p, 100 + i, (uint8_t)present[i]);
	bpt_write(&w, &p.list);
	assert_memory_equal(code, after, sizeof(own));
	destroy(&p);
}

static void test_filled(void **state)
{
	(void)state;
	check_filled("\xcc\xcc\x89\xe5\xcc\xcc\xcc", "\x55\x48\x89\xe5\xc3\x90\xcc");
	check_filled("\xcc\xcc\xcc\xcc\xcc\xcc\xcc", "\xcc\xcc\xcc\xcc\xcc\xcc\xcc");
	/* what was filled ends in the mov */
	check_filled("\xcc\xcc\xcc\xe5\xcc\xcc\xcc", "\x55\x48\xcc\xe5\xc3\x90\xcc");
	/* it begins after the push */
	check_filled("\x55\xcc\xcc\xcc\xcc\xcc\xcc", "\x55\xcc\xcc\xcc\xcc\xcc\xcc");
	/* an operand was written: that is no filling */
	check_filled("\xcc\xcc\x89\xcc\xcc\xcc\xcc", "\x55\x48\x89\xcc\xc3\x90\xcc");
}

/* As most code is: whole pages at a time. */
static void test_read_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(PROT_READ, i);
}

/* Byte by byte, for others may write meanwhile. */
static void test_writable(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(PROT_READ | PROT_WRITE, i);
}

/* Pages that have gone are failures, and the others are written all the same. */
static void test_unmapped(void **state)
{
	struct patched p = make(PROT_READ);
	struct bpt_write w = {&p.space->bpts, p.space->mem, &p.maps,
			      true,	      note_failure, &p};

	(void)state;
	put(&p, 17, ORIGINAL);
	assert_int_equal(munmap(p.at + BYTES - 4096, 4096), 0);
	bpt_write(&w, &p.list);
	assert_int_equal(p.at[17], BPT_BYTE);
	assert_false(p.has_failed[0]);
	assert_true(p.has_failed[1]);
	destroy(&p);
}

/* A child was forked while sites were set that are not any more. */
static void test_copy(void **state)
{
	struct patched p = make(PROT_READ);
	const taddr last = taddr_of((uintptr_t)p.at + BYTES - 1);
	const uint8_t ours = BPT_BYTE;
	uint8_t byte, byte_of_last = 0;
	pid_t child;
	int mem;

	(void)state;
	for (int i = 0; i < 2; i++)
		p.space->bpts.sites.data[i].in.bytes[0] = 0x11;
	space_set_breakpoints(p.space, &p.list, &p.maps);
	assert_int_equal(p.at[17], BPT_BYTE);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(child > 0);
	space_clear_breakpoints(p.space, &p.list);
	assert_int_equal(p.at[17], 0x11);

	mem = mem_open(child);
	assert_true(mem >= 0);
	space_restore(p.space, child, mem);
	assert_int_equal(mem_read(mem, taddr_of((uintptr_t)p.at + 17), &byte, 1), 0);
	mem_read(mem, last, &byte_of_last, 1);
	mem_close(mem);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(byte, 0x11);
	assert_int_equal(byte_of_last, 0x11);

	/* The program wrote this code anew: another one's byte stands there. */
	bpt_retire(&p.space->bpts, &p.space->bpts.sites.data[1]);
	assert_false(p.space->bpts.sites.data[1].was_set);

	/* In the memory itself nothing of ours is left: this one is the program's. */
	assert_int_equal(mem_write(p.space->mem, last, &ours, 1), 0);
	space_restore(p.space, getpid(), p.space->mem);
	assert_int_equal(p.at[BYTES - 1], BPT_BYTE);
	destroy(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_only), cmocka_unit_test(test_filled),
		cmocka_unit_test(test_writable),  cmocka_unit_test(test_unmapped),
		cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
