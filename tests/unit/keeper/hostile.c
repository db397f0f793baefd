/* SPDX-License-Identifier: MIT */
/*
 * A target that attacks the resident block: the tables cannot be written by any way
 * there is, and whatever it writes into the rest, the keeper goes on and other targets
 * are counted exactly.
 */
#include "hook/resident.h"
#include "tests/unit/support/keeper_hooked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <cmocka.h>

#define MAPPINGS_MAX  64
#define ROUNDS	      12
#define INNOCENT      CALLEE
#define INNOCENT_HITS 200000

/* Mappings of the resident block; is_written: those that the target may write. */
struct mapping {
	char *lo, *hi;
	uint64_t offset;
	bool is_writable, is_tables;
};

static int find_mappings(struct mapping *out)
{
	char line[512], access[8];
	unsigned long lo, hi, offset;
	int n = 0;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && n < MAPPINGS_MAX && fgets(line, sizeof(line), f)) {
		bool is_tables = strstr(line, "memfd:fpid-tables") != NULL;

		if (!is_tables && !strstr(line, "memfd:fpid-threads"))
			continue;
		if (sscanf(line, "%lx-%lx %7s %lx", &lo, &hi, access, &offset) != 4)
			continue;
		out[n++] = (struct mapping){(char *)lo, (char *)hi, offset,
					    access[1] == 'w', is_tables};
	}
	if (f)
		fclose(f);
	return n;
}

static bool can_write_by_file(const struct mapping *m, const char *path, int flags)
{
	int fd = open(path, flags);
	void *p = MAP_FAILED;
	bool is_done = false;

	if (fd < 0)
		return false;
	is_done = pwrite(fd, "x", 1, 0) == 1 || ftruncate(fd, 0) == 0;
	if (!is_done)
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 (off_t)m->offset);
	close(fd);
	return is_done || p != MAP_FAILED;
}

static bool can_write_by_memory(const struct mapping *m)
{
	int fd = open("/proc/self/mem", O_RDWR);
	bool is_done = fd >= 0 && pwrite(fd, "x", 1, (off_t)(uintptr_t)m->lo) == 1;
	struct iovec from = {(char[]){'x'}, 1}, to = {m->lo, 1};

	if (fd >= 0)
		close(fd);
	return is_done || process_vm_writev(getpid(), &from, 1, &to, 1, 0) == 1;
}

/* Counts the ways by which the target can change its tables: none. */
static int ways_to_write(const struct mapping *m)
{
	char path[128];
	int ways = 0;
	void *p;

	ways += m->is_writable;
	ways += mprotect(m->lo, 4096, PROT_READ | PROT_WRITE) == 0;
	ways += madvise(m->lo, 4096, MADV_REMOVE) == 0;
	ways += can_write_by_memory(m);
	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx",
		 (unsigned long)(uintptr_t)m->lo, (unsigned long)(uintptr_t)m->hi);
	ways += can_write_by_file(m, path, O_RDWR);
	/* A second mapping of the same pages, of which the first stays. */
	p = mremap(m->lo, 0, 4096, MREMAP_MAYMOVE);
	ways += p != MAP_FAILED && mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0;
	return ways;
}

static int body_breaking_in(void)
{
	struct mapping all[MAPPINGS_MAX];
	int n = find_mappings(all), ntables = 0;

	for (int i = 0; i < n; i++) {
		if (!all[i].is_tables)
			continue;
		ntables++;
		shared->handled += ways_to_write(&all[i]);
	}
	/* What the attempts have left does not disturb the counts. */
	for (int i = 0; i < 1000; i++)
		work_all();
	return ntables >= RESIDENT_TCBS && !shared->wrong ? 7 : 1;
}

static void test_tables_are_sealed(void **state)
{
	struct front *f;
	pid_t pid;

	(void)state;
	pid = planned(body_breaking_in);
	f = hooked(pid);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(shared->handled, 0);
	assert_int_equal(front_value(f, 0, WORK), 1000);
	assert_int_equal(front_free(f), 0);
}

static uint64_t random_word(void)
{
	static uint64_t seed = 0x9e3779b97f4a7c15;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t pattern(int round, const uint64_t *at)
{
	switch (round % 6) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return random_word();
	case 3:
		return random_word() % 4096;
	case 4:
		return (uintptr_t)at;
	default:
		return (uintptr_t)random_word | random_word() << 48;
	}
}

/* The TCBs; of the count caches, which nobody else maps, only the first. */
static void scribble(int round)
{
	struct mapping all[MAPPINGS_MAX];
	int n = find_mappings(all);

	for (int i = 0; i < n; i++) {
		uint64_t *at = (void *)all[i].lo;

		if (!all[i].is_writable)
			continue;
		for (size_t k = 0; k < (64 << 20) / sizeof(*at); k++)
			if ((char *)&at[k] < all[i].hi && (round % 2 || k % 4096 < 32))
				at[k] = pattern(round, &at[k]);
	}
}

static void *scribbling_thread(void *arg)
{
	(void)arg;
	for (int round = 0; round < ROUNDS; round++) {
		scribble(round);
		shared->ready = round + 1;
	}
	return NULL;
}

static void *idle_thread(void *arg)
{
	return arg;
}

static void *hitting_thread(void *arg)
{
	(void)arg;
	hook_work(1);
	return NULL;
}

/* Threads come, are interrupted, and go, while their TCBs are overwritten. */
static int body_hostile(void)
{
	pthread_t scribbler, t;

	pthread_create(&scribbler, NULL, scribbling_thread, NULL);
	while (shared->ready < ROUNDS) {
		if (pthread_create(&t, NULL, idle_thread, NULL) == 0)
			pthread_join(t, NULL);
	}
	pthread_join(scribbler, NULL);
	shared->calm = 1;
	pthread_create(&scribbler, NULL, scribbling_thread, NULL);
	for (;;)
		if (pthread_create(&t, NULL, hitting_thread, NULL) == 0)
			pthread_join(t, NULL);
	return 0;
}

static int body_innocent(void)
{
	while (!shared->inside)
		usleep(1000);
	for (long i = 0; i < INNOCENT_HITS; i++)
		if (hook_callee(i) != i + 7)
			shared->wrong++;
	return shared->wrong ? 1 : 7;
}

static void hook_one(struct front *f, pid_t pid, struct front_site site)
{
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, &site, 1), 1);
	assert_int_equal(site.result, KEEPER_SITE_DETOUR);
}

/* Requests that read what the target has spoiled. */
static void stop_and_go(struct front *f, pid_t pid)
{
	struct front_site sites[] = {ENTRY(LOAD, LOAD)};
	struct front_site more[] = {ENTRY(SPIN, SPIN)};

	front_sites(f, pid, sites, 1);
	pause_ms(20);
	front_sites(f, pid, more, 1);
}

static void test_threads_are_overwritten(void **state)
{
	pid_t hostile, innocent;
	struct front *f = front_new_with(SLOTS);

	(void)state;
	hostile = planned(body_hostile);
	innocent = fork();
	if (!innocent) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(body_innocent());
	}
	hook_one(f, hostile, (struct front_site)ENTRY(WORK, WORK));
	hook_one(f, innocent, (struct front_site)ENTRY(INNOCENT, INNOCENT));
	shared->go = 1;
	shared->inside = 1;
	stop_and_go(f, hostile);
	assert_int_equal(wait_target(innocent), 7 << 8);
	assert_int_equal(front_value(f, 0, INNOCENT), INNOCENT_HITS);
	for (int i = 0; i < 200 && !shared->calm; i++)
		pause_ms(50);
	assert_true(shared->calm);
	pause_ms(200);
	kill(hostile, SIGKILL);
	wait_target(hostile);
	assert_int_equal(front_value(f, 0, INNOCENT), INNOCENT_HITS);
	assert_int_equal(front_free(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tables_are_sealed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_threads_are_overwritten, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
