/* SPDX-License-Identifier: MIT */
/*
 * What the keeper reads of a list of sites: its counts, sites, ranges and plans. The
 * process is one without threads, its code an empty file, so nothing is hooked: what
 * does not fit must be refused before that. An input is such a list.
 */
#include "tests/fuzz/fuzz.h"

#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/sites/sites.h"
#include "vm/base/host/oom.h"

#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* As many bytes as addresses: a read anywhere finds something. */
#define USER_END ((off_t)1 << 47)

static int list, memory;

static void begin(void)
{
	static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x31, 0xc0, 0x5d, 0xc3};

	list = memfd_create("list", MFD_CLOEXEC);
	memory = memfd_create("memory", MFD_CLOEXEC);
	assert(list >= 0 && memory >= 0 && ftruncate(memory, USER_END) == 0);
	for (int i = 0; i < 64; i++)
		assert(pwrite(memory, code, sizeof(code),
			      (off_t)((uintptr_t)begin + 8 * (uintptr_t)i)) ==
		       sizeof(code));
}

/* Small numbers become addresses that are code here: the input's are seldom mapped. */
static void place_address(uint8_t *data)
{
	uint64_t addr;

	memcpy(&addr, data, sizeof(addr));
	if (addr && addr < 4096)
		addr += (uintptr_t)begin;
	memcpy(data, &addr, sizeof(addr));
}

static void place_plan(uint8_t *data)
{
	place_address(data + offsetof(struct hook_plan, site));
	place_address(data + offsetof(struct hook_plan, patch));
	place_address(data + offsetof(struct hook_plan, island.at));
}

static void place(uint8_t *data, size_t n)
{
	struct keeper_sites h;
	size_t at = sizeof(h);

	if (n < sizeof(h))
		return;
	memcpy(&h, data, sizeof(h));
	for (uint32_t i = 0; i < h.nsites && n - at >= sizeof(struct keeper_site);
	     i++, at += sizeof(struct keeper_site))
		place_address(data + at + offsetof(struct keeper_site, addr));
	if (n - at < h.nranges * (uint64_t)sizeof(struct addr_range))
		return;
	at += h.nranges * sizeof(struct addr_range);
	if (n - at < h.nplaces * (uint64_t)sizeof(struct keeper_places))
		return;
	at += h.nplaces * sizeof(struct keeper_places);
	for (uint32_t i = 0; i < h.nplans && n - at >= sizeof(struct hook_plan);
	     i++, at += sizeof(struct hook_plan))
		place_plan(data + at);
}

void fuzz_one(const uint8_t *data, size_t n)
{
	static const struct keeper none;
	struct keeper k = none;
	struct process *p;
	uint8_t *copy = oom_realloc(NULL, n + 1);
	struct keeper_sites_reply out = {0};
	struct err e = {0};

	if (!memory)
		begin();
	memcpy(copy, data, n);
	place(copy, n);
	assert(ftruncate(list, 0) == 0 && pwrite(list, copy, n, 0) == (ssize_t)n);
	k.program.nprobes = 4;
	p = process_add(&k.tasks, getpid(), ROLE_TRACED, space_new());
	p->space->mem = dup(memory);
	if (sites_add(&k, p, (struct link_memory){list, n}, &out, &e) < 0)
		assert(e.text[0]);
	else
		assert(out.nset + out.nrefused <= n / sizeof(struct keeper_site));
	process_remove(&k.tasks, p);
	map_release(&k.tasks.by_pid);
	map_release(&k.tasks.by_tid);
	free(copy);
}
