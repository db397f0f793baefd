/* SPDX-License-Identifier: MIT */
#include "tracer/cost/entry_cost.h"
#include "hook/resident.h"
#include "hook/trampoline.h"
#include "vm/base/host/clock.h"

#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS  4000
#define ROUNDS 15
#define LIMIT  2 /* seconds, after which something is wrong */

#define STUB_AT 256 /* in the page of code, after the function */

/* What the keeper makes of a process, for one site. */
struct bench {
	struct resident_view view;
	struct resident_place place;
	uint8_t *code; /* the function, and its stub */
	void *cache;
	uint64_t *switch_word;
	uint64_t on, off;
};

static void *map(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	return p == MAP_FAILED ? NULL : p;
}

static const struct resident_text *map_text(void)
{
	const struct resident_text *built = (const void *)resident_bin;
	uint8_t *p = map(built->gate + RESIDENT_PAGE);

	if (!p)
		return NULL;
	memcpy(p, resident_bin, built->bytes);
	return mprotect(p, built->gate, PROT_READ | PROT_EXEC) ? NULL : (const void *)p;
}

static bool map_block(struct bench *b, const struct state *state)
{
	const struct resident_config c = {.nsites = 1,
					  .nhits = 1,
					  .nranges = 1,
					  .nshadows = 2,
					  .ntcbs = 1,
					  .nmodules = 1};
	uint64_t n = resident_lay_out(&b->view.layout, &c);

	b->view.block = n ? map(n) : NULL;
	if (!b->view.block)
		return false;
	resident_block_init(b->view.block, &b->view.layout);
	b->view.block->state = b->place.state = (uintptr_t)state;
	b->place.block = (uintptr_t)b->view.block;
	b->cache = map(resident_cache_bytes(1));
	return b->cache != NULL;
}

/* A function that does nothing, whose entry is a site. */
static bool make_code(struct bench *b)
{
	static const uint8_t function[] = {0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3};
	taddr at = taddr_of((uintptr_t)b->code);
	struct hook_plan plan = {.site = at,
				 .tactic = HOOK_JMP,
				 .patch = at,
				 .covered = HOOK_JUMP,
				 .ninsns = 1,
				 .nsites = 1};
	struct stub_request req = {.plan = &plan,
				   .gate = {offsetof(struct resident_gate, spill),
					    offsetof(struct resident_gate, enter)},
				   .stub = taddr_add(at, STUB_AT),
				   .switch_word = taddr_of((uintptr_t)b->switch_word)};
	struct stub stub;

	memcpy(plan.original, function, HOOK_JUMP);
	if (stub_build(&req, &stub))
		return false;
	memcpy(b->code, function, sizeof(function));
	memcpy(b->code, stub.patch, HOOK_JUMP);
	memcpy(b->code + STUB_AT, stub.bytes, stub.n);
	b->on = req.stub.v + STUB_ON;
	b->off = req.stub.v + STUB_EPILOGUE;
	resident_site_table(&b->view)->epilogue = b->off;
	return mprotect(b->code, RESIDENT_PAGE, PROT_READ | PROT_EXEC) == 0;
}

static bool prepare(struct bench *b, const struct state *state)
{
	struct resident_thread thread = {.identity = 1};
	const struct resident_text *text = map_text();
	uint64_t base;

	if (!text || !map_block(b, state))
		return false;
	b->place.text = (uintptr_t)text;
	b->code = map(UINT64_C(2) * RESIDENT_PAGE);
	if (!b->code)
		return false;
	b->switch_word = (uint64_t *)(void *)(b->code + RESIDENT_PAGE);
	if (!make_code(b))
		return false;
	thread.cache = (uintptr_t)b->cache;
	base = resident_register(&b->view, &b->place, 0, &thread, false);
	return base && syscall(SYS_arch_prctl, ARCH_SET_GS, base) == 0;
}

/* ns of all calls, with the site on or off. */
static uint64_t time_calls(const struct bench *b, uint64_t way)
{
	void (*function)(void) = (void (*)(void))(uintptr_t)b->code;
	uint64_t begin;

	*(volatile uint64_t *)b->switch_word = way;
	begin = clock_now_ns();
	for (int i = 0; i < CALLS; i++)
		function();
	return clock_now_ns() - begin;
}

/* ns of the way in and out; 0: it failed. */
static uint64_t measure(const struct state *state)
{
	struct bench b = {0};
	uint64_t on = UINT64_MAX, off = UINT64_MAX;

	if (!prepare(&b, state))
		return 0;
	for (int i = 0; i < ROUNDS; i++) {
		off = min_u64(off, time_calls(&b, b.off));
		on = min_u64(on, time_calls(&b, b.on));
	}
	return max_u64(1, (on - min_u64(on, off)) / CALLS);
}

uint64_t entry_cost_measure(const struct state *state)
{
	uint64_t ns = 0;
	int result[2], pid;

	if (pipe2(result, O_CLOEXEC) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		alarm(LIMIT);
		ns = measure(state);
		_exit(write(result[1], &ns, sizeof(ns)) != sizeof(ns));
	}
	close(result[1]);
	if (pid < 0 || read(result[0], &ns, sizeof(ns)) != sizeof(ns))
		ns = 0;
	close(result[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return ns;
}
