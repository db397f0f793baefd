/* SPDX-License-Identifier: MIT */
/*
 * The log says where bytes of ours are, and which of the program's were there. In the
 * mapping of a file that must be the bytes of this file. Other code is the process's own
 * alone, as is the page by which the log is known.
 */
#include "tracer/keeper/sites/stale_run.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/space/bpt.h"
#include "vm/base/host/oom.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 1024u /* entries that are read at once */

/* The mapping of code that has the n bytes; NULL: there is none of this process alone. */
static const struct procfs_area *code_area(const struct stale *s, uint64_t at,
					   uint64_t n)
{
	const struct procfs_area *a = procfs_maps_find(&s->maps, taddr_of(at));

	return a && a->is_executable && !a->is_shared &&
			       (a->kind == AREA_PLAIN || a->kind == AREA_VDSO) &&
			       a->range.hi.v - at >= n
		       ? a
		       : NULL;
}

/* False: nothing proves these bytes; what is there stays, and so does our handler. */
static bool write_own(struct stale *s, uint64_t at, const uint8_t *own, uint32_t n)
{
	const struct procfs_area *a = code_area(s, at, n);
	uint8_t file[UNDO_PATCH];

	if ((!a->is_file || (file_text_read(&s->file, a, taddr_of(at), file, n) == 0 &&
			     memcmp(file, own, n) == 0)) &&
	    mem_write(s->mem, taddr_of(at), own, n) == 0)
		return true;
	s->is_left = true;
	return false;
}

/* Threads at from go on at to. */
static void move_threads(const struct stale *s, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < s->all.threads.len; i++) {
		struct all_stop_thread *t = &s->all.threads.data[i];

		if (t->tid && !t->is_asleep && t->pc.v == from &&
		    pt_set_pc(t->tid, taddr_of(to)) == 0)
			t->pc.v = to;
	}
}

/* Threads that have trapped there, and whose trap is in their stop, run it anew. */
static void take_back_traps(const struct stale *s, uint64_t site)
{
	for (size_t i = 0; i < s->all.threads.len; i++) {
		struct all_stop_thread *t = &s->all.threads.data[i];

		if (!t->tid || t->is_asleep || t->pc.v != site + 1 ||
		    t->status != STALE_TRAPPED || pt_set_pc(t->tid, taddr_of(site)) < 0)
			continue;
		t->pc.v = site;
		t->status = STALE_INTERRUPTED;
	}
}

static void restore_stale_site(struct stale *s, const struct undo_site *site)
{
	uint8_t now[1 + UNDO_NEXT];

	if (!site->at || !site->is_set || site->nnext > UNDO_NEXT ||
	    !code_area(s, site->at, site->nnext + 1u) ||
	    mem_read(s->mem, taddr_of(site->at), now, site->nnext + 1u) < 0)
		return;
	for (uint32_t i = 0; i < site->nnext; i++)
		if (now[1 + i] != site->next[i] && now[1 + i] != BPT_BYTE)
			return;
	if (now[0] != BPT_BYTE || write_own(s, site->at, &site->own, 1))
		take_back_traps(s, site->at);
}

/* Whether our bytes are there, or some of them, where a keeper died while it wrote. */
static bool has_patch(const struct undo_patch *p, const uint8_t *now)
{
	bool is_any = false;

	for (uint32_t i = 0; i < p->n; i++) {
		if (now[i] != p->ours[i] && now[i] != p->own[i])
			return false;
		is_any |= now[i] != p->own[i];
	}
	return is_any;
}

static void restore_stale_patch(struct stale *s, const struct undo_patch *p)
{
	uint8_t now[UNDO_PATCH];

	if (!p->n || p->n > UNDO_PATCH || !code_area(s, p->at, p->n) ||
	    mem_read(s->mem, taddr_of(p->at), now, p->n) < 0 || !has_patch(p, now))
		return;
	if (write_own(s, p->at, p->own, p->n) && p->resume &&
	    code_area(s, p->resume, 1))
		move_threads(s, p->at, p->resume);
}

static void restore_window(struct stale *s, const struct undo_part *p,
			   const char *entries, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (p->kind == UNDO_SITES)
			restore_stale_site(
				s, (const struct undo_site *)(const void *)entries + i);
		else
			restore_stale_patch(
				s,
				(const struct undo_patch *)(const void *)entries + i);
	}
}

/* Whether a mapping of a log's file holds n bytes from at on. */
static bool is_in_log(const struct stale *s, uint64_t at, uint64_t n)
{
	const struct procfs_area *a = procfs_maps_find(&s->maps, taddr_of(at));

	return a && a->kind == AREA_UNDO_LOG && a->range.hi.v - at >= n;
}

static void restore_part(struct stale *s, const struct undo_part *p)
{
	const uint64_t size = p->kind == UNDO_SITES ? sizeof(struct undo_site)
						    : sizeof(struct undo_patch);
	const uint32_t used = p->used;
	char *window;

	if (p->kind >= UNDO_KINDS || !is_in_log(s, p->at, used * size))
		return;
	window = oom_realloc(NULL, WINDOW * size);
	for (uint64_t i = 0; i < used && !stale_is_late(s); i += WINDOW) {
		uint32_t n = (uint32_t)min_u64(WINDOW, used - i);

		if (mem_read(s->mem, taddr_of(p->at + i * size), window, n * size) < 0)
			break;
		restore_window(s, p, window, n);
	}
	free(window);
}

void stale_restore_text(struct stale *s)
{
	for (uint32_t i = 0; i < s->head.nparts; i++)
		restore_part(s, &s->head.parts[i]);
}
