/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/undo/undo_log.h"
#include "tracer/keeper/os/memory_file.h"
#include "tracer/keeper/os/owner_watch.h"
#include "vm/base/status.h"

#include <sys/mman.h>
#include <unistd.h>

#define RW (PROT_READ | PROT_WRITE)

/*
 * Room of the first part of each kind; another one has three times that of all before.
 * Room takes addresses, memory only what is used; a new part makes a thread call mmap(2).
 */
static const struct {
	uint32_t bytes, first_room;
} kinds[UNDO_KINDS] = {
	[UNDO_SITES] = {sizeof(struct undo_site), 8192},
	[UNDO_PATCHES] = {sizeof(struct undo_patch), 8192},
};

/* A file of n bytes, which only this mapping can change, at *to; or negative. */
static int map_new(uint64_t n, void *at, void **to)
{
	int fd = memory_file_new(UNDO_FILE, n);

	if (fd < 0)
		return fd;
	*to = mmap(at, n, RW, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
	if (*to != MAP_FAILED && memory_file_seal_data(fd))
		return fd;
	if (*to != MAP_FAILED)
		munmap(*to, n);
	close(fd);
	*to = NULL;
	return STATUS_IO;
}

int undo_log_new(struct undo_log *log)
{
	char *p = mmap(NULL, OWNER_WATCH_ROOM + UNDO_HEAD_BYTES, RW,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *mapped;
	int fd;

	if (p == MAP_FAILED)
		return STATUS_NOMEM;
	fd = map_new(UNDO_HEAD_BYTES, p + OWNER_WATCH_ROOM, &mapped);
	if (fd < 0) {
		munmap(p, OWNER_WATCH_ROOM + UNDO_HEAD_BYTES);
		return fd;
	}
	log->head = mapped;
	*log->head = (struct undo_head){.magic = UNDO_MAGIC,
					.version = UNDO_VERSION,
					.bytes = sizeof(*log->head),
					.size = UNDO_HEAD_BYTES,
					.own.handler = TRAP_DEFAULT};
	owner_watch_tie(&log->head->keeper);
	return fd;
}

/* The numbers that parts of the kind have so far. */
static uint32_t room_of(const struct undo_log *log, enum undo_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < log->head->nparts; i++)
		if (log->head->parts[i].kind == kind)
			n = log->head->parts[i].first + log->head->parts[i].room;
	return n;
}

bool undo_log_has_room(const struct undo_log *log, enum undo_kind kind, uint32_t n)
{
	return log->head && room_of(log, kind) >= n;
}

int undo_log_new_part(struct undo_log *log, enum undo_kind kind, uint32_t number)
{
	uint32_t i = log->head->nparts, first = room_of(log, kind);
	uint64_t room = max_u64(3 * (uint64_t)first, kinds[kind].first_room), n;
	struct undo_part *p = &log->head->parts[i];
	int fd;

	while (first + room <= number)
		room *= 2;
	n = align_up(room * kinds[kind].bytes, UNDO_PAGE);
	if (i == UNDO_PARTS_MAX || first + room > UINT32_MAX)
		return STATUS_FULL;
	fd = map_new(n, NULL, &log->parts[i]);
	*p = (struct undo_part){
		.size = n, .kind = kind, .first = first, .room = (uint32_t)room};
	return fd;
}

void undo_log_add_part(struct undo_log *log, taddr at)
{
	uint32_t i = log->head->nparts;

	log->head->parts[i].at = at.v;
	atomic_store_explicit(&log->head->nparts, i + 1, memory_order_release);
}

void undo_log_release(struct undo_log *log)
{
	if (!log->head)
		return;
	for (uint32_t i = 0; i < UNDO_PARTS_MAX; i++)
		if (log->parts[i])
			munmap(log->parts[i], log->head->parts[i].size);
	owner_watch_untie(&log->head->keeper);
	munmap((char *)log->head - OWNER_WATCH_ROOM,
	       OWNER_WATCH_ROOM + UNDO_HEAD_BYTES);
	*log = (struct undo_log){.head = NULL};
}

void undo_log_each_memory(const struct undo_log *log,
			  void (*each)(void *ctx, taddr lo, uint64_t size), void *ctx)
{
	if (!log->head)
		return;
	for (uint32_t i = 0; i < log->head->nparts; i++)
		each(ctx, taddr_of(log->head->parts[i].at), log->head->parts[i].size);
	each(ctx, log->at, UNDO_HEAD_BYTES);
	each(ctx, log->text, UNDO_TEXT_BYTES);
}

/* Our copy of the entry with this number, which counts from now on; NULL: no room. */
static void *entry(const struct undo_log *log, enum undo_kind kind, uint32_t number)
{
	for (uint32_t i = 0; log->head && i < log->head->nparts; i++) {
		struct undo_part *p = &log->head->parts[i];
		uint32_t at = number - p->first;

		if (p->kind != kind || number < p->first || at >= p->room)
			continue;
		if (at >= p->used)
			atomic_store_explicit(&p->used, at + 1, memory_order_release);
		return (char *)log->parts[i] + (size_t)at * kinds[kind].bytes;
	}
	return NULL;
}

void undo_log_note_site(const struct undo_log *log, uint32_t number,
			const struct undo_site *site)
{
	struct undo_site *to = entry(log, UNDO_SITES, number);

	if (to)
		*to = *site;
}

void undo_log_note_patch(const struct undo_log *log, uint32_t number,
			 const struct undo_patch *patch)
{
	struct undo_patch *to = entry(log, UNDO_PATCHES, number);

	if (to)
		*to = *patch;
}

void undo_log_note_memory(const struct undo_log *log, size_t number, taddr lo,
			  uint64_t size)
{
	struct undo_memory *all;

	if (!log->head || number >= UNDO_MEMORY_MAX)
		return;
	all = (void *)((char *)log->head + UNDO_MEMORY_AT);
	all[number] = (struct undo_memory){lo.v, size};
	log->head->nmemory = (uint32_t)max_u64(log->head->nmemory, number + 1);
}

void undo_log_note_semaphore(const struct undo_log *log, size_t number, taddr at)
{
	undo_semaphore *all;

	if (!log->head || number >= UNDO_SEMAPHORES)
		return;
	all = (void *)((char *)log->head + UNDO_SEMAPHORES_AT);
	all[number] = at.v;
	log->head->nsemaphores = (uint32_t)max_u64(log->head->nsemaphores, number + 1);
}

size_t undo_log_nsemaphores(const struct undo_log *log)
{
	return log->head ? log->head->nsemaphores : 0;
}

void undo_log_note_trap(const struct undo_log *log, uint64_t pc)
{
	if (log->head)
		log->head->leave_trap = pc;
}
