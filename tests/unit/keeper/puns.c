/* SPDX-License-Identifier: MIT */
/*
 * Punned jumps in a real process: what is written and mapped, whose place the pages may
 * not take, whose bytes the displacement may not be, and what is left of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/keeper_hooked.h"

#define PAGE 4096

/*
 * hook_pun once more, twice: the jump of the first leads to the same page as that of
 * puns_first, the jump of the second to an address two bytes after that of puns_first.
 */
long puns_first(long n, const char *p);
long puns_beside(long n, const char *p);
extern char puns_begin[], puns_first_load[], puns_first_end[], puns_beside_end[],
	puns_twin[], puns_twin_end[], puns_end[];

__asm__(".text\n"
	".p2align 12\n"
	"puns_begin:\n"
	"puns_first: push %rbx\n"
	"puns_first_load:\n" /* 8b 4c 3e fc */
	"1:	mov -4(%rsi,%rdi), %ecx\n"
	"	dec %rdi\n"
	"	cmp $3, %rdi\n"
	"	jg 1b\n"
	"	lea 6(%rdi), %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"puns_first_end:\n"
	".skip puns_begin + 0x40 - ., 0x55\n"
	"puns_beside: push %rbx\n"
	"2:	mov -4(%rsi,%rdi), %ecx\n"
	"	dec %rdi\n"
	"	cmp $3, %rdi\n"
	"	jg 2b\n"
	"	lea 7(%rdi), %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"puns_beside_end:\n"
	".skip puns_begin + 0x10d - ., 0x55\n"
	"puns_twin: push %rbx\n"
	"3:	orb $0xfc, 0x3e(%rbx)\n" /* 80 4b 3e fc: 0x10b less than the first's */
	"	dec %rdi\n"
	"	jg 3b\n"
	"	pop %rbx\n"
	"	ret\n"
	"puns_twin_end:\n"
	".p2align 12\n"
	"puns_end:\n");

enum { FIRST, FIRST_LOAD, BESIDE, TWIN, NPLANS };

static struct hook_plan pun_plans[NPLANS];

static void take(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	assert_true(first == 0 && n == 1);
	*(struct hook_plan *)ctx = *plan;
}

static void plan_one(const struct hook_module *m, const struct hook_branches *b,
		     int number, const void *at, const struct addr_range *in)
{
	const struct hook_probe_point point = {.pc = address(at), .is_before = true};
	const struct hook_function f = {.lo = in->lo,
					.hi = in->hi,
					.islands = hook_islands_new(),
					.wants = &point,
					.nwants = 1,
					.plan = take,
					.ctx = &pun_plans[number]};

	hook_plan_function(m, b, &f);
	hook_islands_free(f.islands);
	assert_int_equal(pun_plans[number].tactic,
			 number == FIRST_LOAD ? HOOK_JMP : HOOK_JMP_PUN);
}

/* Alone each can be had. */
static void plan_all(void)
{
	const struct addr_range ranges[] = {
		{address(puns_first), address(puns_first_end)},
		{address(puns_beside), address(puns_beside_end)},
		{address(puns_twin), address(puns_twin_end)}};
	struct hook_bytes code = {.lo = address(puns_begin),
				  .data = (const uint8_t *)puns_begin,
				  .n = (size_t)(puns_end - puns_begin)};
	struct hook_module m = {.code = &code,
				.ncode = 1,
				.functions = ranges,
				.nfunctions = ARRAY_LEN(ranges),
				.unwound = ranges,
				.nunwound = ARRAY_LEN(ranges)};
	struct hook_branches *b = hook_branches_new(&m);

	plan_one(&m, b, FIRST, puns_first, &ranges[0]);
	plan_one(&m, b, FIRST_LOAD, puns_first_load, &ranges[0]);
	plan_one(&m, b, BESIDE, puns_beside, &ranges[1]);
	plan_one(&m, b, TWIN, puns_twin, &ranges[2]);
	hook_branches_free(b);
}

static void work_puns(void)
{
	char buf[8] = {0};

	if (puns_first(5, buf) != 9 || puns_beside(5, buf) != 10)
		shared->wrong++;
	shared->calls++;
}

static int body_puns(void)
{
	for (int i = 0; i < 1000; i++)
		work_puns();
	return shared->wrong ? 1 : 7;
}

static int body_endless_puns(void)
{
	while (!shared->end) {
		work_puns();
		shared->ready = 1;
	}
	return shared->wrong ? 1 : 7;
}

#define SITE(function, number, probe_number)                                           \
	{                                                                              \
		.at = function, .probe = probe_number, .kind = KEEPER_SITE_OFFSET,     \
		.plan = &pun_plans[number]                                             \
	}

static void *page_of_island(int number, int pages)
{
	return (void *)(uintptr_t)(align_down(pun_plans[number].island.at.v, PAGE) +
				   (uint64_t)(int64_t)pages * PAGE);
}

static int memory_of(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	return fd;
}

static void read_there(pid_t pid, const void *at, void *buf, size_t n)
{
	int fd = memory_of(pid);

	assert_int_equal(pread(fd, buf, n, (off_t)(uintptr_t)at), (ssize_t)n);
	close(fd);
}

static bool is_mapped_there(pid_t pid, const void *at)
{
	char byte;
	int fd = memory_of(pid);
	ssize_t n = pread(fd, &byte, 1, (off_t)(uintptr_t)at);

	close(fd);
	return n == 1;
}

/* One byte of the text differs, and two jumps share a page; then nothing differs. */
static void test_bytes(void **state)
{
	struct front_site sites[] = {SITE(puns_first, FIRST, 0),
				     SITE(puns_beside, BESIDE, 1)};
	struct front *f = front_new_with(SLOTS);
	uint8_t now[HOOK_JUMP], island[HOOK_JUMP];
	struct look *before;
	pid_t pid;

	(void)state;
	plan_all();
	pid = target(body_puns);
	before = look_at(pid, puns_begin);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 2), 2);
	assert_int_equal(sites[0].result, KEEPER_SITE_DETOUR);
	assert_int_equal(sites[1].result, KEEPER_SITE_DETOUR);
	assert_ptr_equal(page_of_island(FIRST, 0), page_of_island(BESIDE, 0));
	read_there(pid, puns_first, now, sizeof(now));
	assert_int_equal(now[0], 0xe9);
	assert_memory_equal(now + 1, (const char *)(void *)puns_first + 1,
			    HOOK_JUMP - 1);
	read_there(pid, (void *)(uintptr_t)pun_plans[FIRST].island.at.v, island,
		   sizeof(island));
	assert_int_equal(island[0], 0xe9);
	release(f, pid);
	assert_looks(pid, before);
	assert_false(is_mapped_there(pid, page_of_island(FIRST, 0)));
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 2), 2);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_value(f, 0, 1), 1000);
	look_free(before);
	assert_int_equal(front_free(f), 0);
}

/* What is there, and a page beside it, stays alone: a breakpoint serves. */
static void test_not_free(void **state)
{
	static const struct {
		int page;
		bool is_free;
	} table[] = {{0, false}, {-1, false}, {1, false}, {2, true}, {-2, true}};

	(void)state;
	plan_all();
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct front_site sites[] = {SITE(puns_first, FIRST, 0)};
		void *at = page_of_island(FIRST, table[i].page);
		struct front *f;
		char there[PAGE];
		pid_t pid;

		assert_ptr_equal(mmap(at, PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
				      -1, 0),
				 at);
		memset(at, 0x5a, PAGE);
		pid = target(body_puns);
		f = front_new_with(SLOTS);
		seize(f, pid, 0);
		assert_int_equal(front_sites(f, pid, sites, 1), 1);
		assert_int_equal(sites[0].result, table[i].is_free
							  ? KEEPER_SITE_DETOUR
							  : KEEPER_SITE_BREAKPOINT);
		assert_int_equal(sites[0].reason, table[i].is_free ? KEEPER_REASON_NONE
								   : KEEPER_REASON_PUN);
		read_there(pid, at, there, sizeof(there));
		assert_memory_equal(there, at, PAGE);
		shared->go = 1;
		assert_int_equal(wait_target(pid), 7 << 8);
		assert_int_equal(front_value(f, 0, 0), 1000);
		assert_int_equal(front_free(f), 0);
		munmap(at, PAGE);
	}
}

#define MAPPINGS_MAX 262144 /* more take too long to make */

static size_t most_mappings(void)
{
	unsigned long n = 0;
	FILE *f = fopen("/proc/sys/vm/max_map_count", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &n), 1);
	fclose(f);
	return n;
}

/* A process with half of the mappings that it may have gets none for punned jumps. */
static void test_many_mappings(void **state)
{
	struct front_site sites[] = {SITE(puns_first, FIRST, 0)};
	size_t n = most_mappings() / 2;
	struct front *f;
	pid_t pid;
	char *at;

	(void)state;
	if (n > MAPPINGS_MAX)
		skip();
	plan_all();
	at = mmap(NULL, n * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	for (size_t i = 0; i < n; i += 2)
		assert_int_equal(mprotect(at + i * PAGE, PAGE, PROT_READ), 0);
	pid = target(body_puns);
	munmap(at, n * PAGE);
	f = front_new_with(SLOTS);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	assert_int_equal(sites[0].result, KEEPER_SITE_BREAKPOINT);
	assert_int_equal(sites[0].reason, KEEPER_REASON_MAPPINGS);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_free(f), 0);
}

/* Two jumps that would lead to bytes in common: the second one is a breakpoint. */
static void test_twin(void **state)
{
	struct front_site sites[] = {SITE(puns_first, FIRST, 0),
				     SITE(puns_twin, TWIN, 1)};
	struct front *f = front_new_with(SLOTS);
	pid_t pid;

	(void)state;
	plan_all();
	assert_int_equal(pun_plans[TWIN].island.at.v - pun_plans[FIRST].island.at.v, 2);
	pid = target(body_puns);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 2), 2);
	assert_int_equal(sites[0].result, KEEPER_SITE_DETOUR);
	assert_int_equal(sites[1].result, KEEPER_SITE_BREAKPOINT);
	assert_int_equal(sites[1].reason, KEEPER_REASON_PUN);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_free(f), 0);
}

/*
 * A jump that comes to the bytes of the displacement while the program runs, and one in
 * the same request: breakpoints serve both, and no call is missed.
 */
static void test_site_inside(void **state)
{
	struct front_site first[] = {SITE(puns_first, FIRST, 0)};
	struct front_site inside[] = {SITE(puns_first_load, FIRST_LOAD, 1)};
	struct front_site both[] = {SITE(puns_first, FIRST, 0),
				    SITE(puns_first_load, FIRST_LOAD, 1)};
	struct front *f;
	uint64_t calls;
	uint8_t now[HOOK_JUMP];
	pid_t pid;

	(void)state;
	plan_all();
	f = front_new_with(SLOTS);
	pid = target(body_endless_puns);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, first, 1), 1);
	assert_int_equal(first[0].result, KEEPER_SITE_DETOUR);
	shared->go = 1;
	while (!shared->ready)
		pause_ms(1);
	assert_int_equal(front_sites(f, pid, inside, 1), 1);
	assert_int_equal(inside[0].result, KEEPER_SITE_BREAKPOINT);
	assert_int_equal(inside[0].reason, KEEPER_REASON_SHARED);
	read_there(pid, puns_first, now, sizeof(now));
	assert_int_equal(now[0], 0xcc);
	assert_int_equal(now[1], 0xcc);
	calls = (uint64_t)shared->calls;
	pause_ms(50);
	end_target(pid);
	assert_int_equal(front_value(f, 0, 0), shared->calls);
	/* the instruction runs twice a call */
	assert_true(front_value(f, 0, 1) + 2 >= 2 * ((uint64_t)shared->calls - calls));
	assert_int_equal(front_free(f), 0);
	f = front_new_with(SLOTS);
	pid = target(body_puns);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, both, 2), 2);
	assert_int_equal(both[0].result, KEEPER_SITE_BREAKPOINT);
	assert_int_equal(both[0].reason, KEEPER_REASON_SHARED);
	assert_int_equal(both[1].result, KEEPER_SITE_BREAKPOINT);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_value(f, 0, 1), 2000);
	assert_int_equal(front_free(f), 0);
}

/* Bytes that differ from those of the plan, and plans that make no sense. */
static void test_stale(void **state)
{
	static struct hook_plan stale, elsewhere;
	struct front_site sites[] = {
		{.at = puns_first, .kind = KEEPER_SITE_OFFSET, .plan = &stale}};
	struct front_site others[] = {
		{.at = puns_first, .kind = KEEPER_SITE_OFFSET, .plan = &elsewhere}};
	struct front *f = front_new_with(SLOTS);
	pid_t pid;

	(void)state;
	plan_all();
	stale = elsewhere = pun_plans[FIRST];
	stale.original[3] ^= 1;
	stale.island.at = hook_pun_target(&stale);
	elsewhere.island.at.v += PAGE;
	pid = target(body_puns);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	assert_int_equal(sites[0].result, KEEPER_SITE_BREAKPOINT);
	assert_int_equal(sites[0].reason, KEEPER_REASON_CHANGED);
	release(f, pid);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, others, 1), 1);
	assert_int_equal(others[0].result, KEEPER_SITE_BREAKPOINT);
	assert_false(is_mapped_there(pid, page_of_island(FIRST, 1)));
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_free(f), 0);
}

/* The library goes and comes back at the same place: its islands are used again. */
static void test_forgotten(void **state)
{
	struct front_site sites[] = {SITE(puns_first, FIRST, 0)};
	struct front *f = front_new_with(SLOTS);
	struct keeper_msg gone = {.type = KEEPER_REQ_FORGET};
	pid_t pid;
	int fd;

	(void)state;
	plan_all();
	pid = target(body_puns);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	gone.pid = pid;
	gone.forget.lo = address(puns_begin);
	gone.forget.hi = address(puns_end);
	assert_int_equal(front_call(f, gone, NULL, 0).status, 0);
	fd = memory_of(pid);
	assert_int_equal(pwrite(fd, puns_begin, PAGE, (off_t)(uintptr_t)puns_begin),
			 PAGE);
	close(fd);
	sites[0].probe = 1;
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	assert_int_equal(sites[0].result, KEEPER_SITE_DETOUR);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 0);
	assert_int_equal(front_value(f, 0, 1), 1000);
	assert_int_equal(front_free(f), 0);
}

/* The keeper is killed; another one puts the byte back, while the program runs. */
static void test_restored(void **state)
{
	struct front_site sites[] = {SITE(puns_first, FIRST, 0)};
	struct keeper_restore one = {.n = 1};
	struct front *f = front_new_with(SLOTS), *next;
	uint8_t now[HOOK_JUMP];
	siginfo_t end;
	pid_t pid;
	int fd;

	(void)state;
	plan_all();
	one.addr = pun_plans[FIRST].patch;
	one.jump = pun_plans[FIRST].island.at;
	one.original[0] = pun_plans[FIRST].original[0];
	pid = target(body_endless_puns);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	shared->go = 1;
	while (!shared->ready)
		pause_ms(1);
	kill(f->keeper, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)f->keeper, &end, WEXITED | WNOWAIT), 0);
	assert_goes_on();
	read_there(pid, puns_first, now, sizeof(now));
	assert_int_equal(now[0], 0xe9);
	next = front_new_with(SLOTS);
	seize(next, pid, 0);
	fd = front_memfd(&one, sizeof(one));
	assert_int_equal(front_call(next,
				    (struct keeper_msg){.type = KEEPER_REQ_RESTORE,
							.pid = pid,
							.memory = {sizeof(one)}},
				    &fd, 1)
				 .status,
			 0);
	close(fd);
	release(next, pid);
	read_there(pid, puns_first, now, sizeof(now));
	assert_memory_equal(now, (void *)puns_first, HOOK_JUMP);
	assert_goes_on();
	end_target(pid);
	assert_int_equal(front_free(next), 0);
	assert_int_equal(front_free(f), SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_not_free, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_many_mappings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_twin, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_site_inside, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_stale, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_forgotten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_restored, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
