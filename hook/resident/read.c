/* SPDX-License-Identifier: MIT */
/*
 * Reading the target's memory from inside it. A fault taken here would be seen by
 * the target's own handlers, or kill it where the signal is blocked, so a page is
 * loaded from only when it is known to be readable:
 *
 *	null page, beyond user_end	never
 *	own stack, listed ranges	loaded from directly
 *	found readable in this hit	the same
 *	any other			the kernel is asked first
 *
 * All loads are guarded nevertheless (guard.h): another thread may unmap a page
 * between the question and the load.
 */
#include "hook/resident/guard.h"
#include "hook/resident/level.h"
#include "hook/resident/sys.h"
#include "vm/base/status.h"
#include "vm/base/str.h"

#define PAGE UINT64_C(4096)

/* The stack from sp's page up; below, it need not be mapped yet. */
static bool is_own_stack(const struct level *l, uint64_t page)
{
	const struct resident_thread *t = &l->tcb->thread;
	uint64_t sp = regs_sp(l->regs);

	return sp >= t->stack_lo && sp < t->stack_hi && page >= align_down(sp, PAGE) &&
	       page + PAGE <= t->stack_hi;
}

/* Whether one range of the list [first, first + n) holds the page: by halves. */
static bool is_in_list(const struct resident_range *r, uint32_t n, uint64_t page)
{
	while (n) {
		uint32_t half = n / 2;

		if (page + PAGE > r[half].hi) {
			r += half + 1;
			n -= half + 1;
		} else if (page < r[half].lo) {
			n = half;
		} else {
			return true;
		}
	}
	return false;
}

static bool is_listed(const struct level *l, uint64_t page)
{
	const struct resident_block *b = l->block;
	const struct resident_range *ranges =
		(const void *)((const unsigned char *)b + b->layout.ranges_at);
	struct list list = list_of(&b->ranges, b->layout.config.nranges);

	return is_in_list(ranges + list.first, list.n, page);
}

static bool is_readable(const struct level *l, uint64_t page)
{
	if (page < PAGE || page >= l->block->user_end)
		return false;
	return is_own_stack(l, page) || is_listed(l, page) || sys_is_readable(page);
}

/* Whether the page of addr is readable. */
static bool has_page(struct level *l, uint64_t addr)
{
	uint64_t page = align_down(addr, PAGE);
	struct page *known = &l->pages[page / PAGE % PAGES];

	if (known->hit == l->hit && known->page == page)
		return true;
	if (!is_readable(l, page))
		return false;
	*known = (struct page){page, l->hit};
	return true;
}

/* Bytes from at to the end of its page, at most n. */
static uint64_t on_page(uint64_t at, uint64_t n)
{
	return min_u64(n, PAGE - at % PAGE);
}

/* n bytes of a page, as they are without us. */
static struct guarded memory_part(struct level *l, unsigned char *to, uint64_t at,
				  uint64_t n)
{
	struct guarded got;
	uint64_t shadows;

	if (!has_page(l, at))
		return (struct guarded){0, GUARD_FAULT};
	do {
		shadows = shadow_begin(l);
		got = guard_copy(to, at, n);
		shadow_apply(l, shadows, at, to, got.n);
	} while (!shadow_end(l, shadows));
	return got;
}

int read_memory(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	unsigned char *to = buf;

	for (uint64_t at = addr.v; n;) {
		struct guarded got = memory_part(ctx, to, at, on_page(at, n));

		at += got.n;
		to += got.n;
		n -= got.n;
		if (got.end == GUARD_FAULT) {
			*bad = taddr_of(at);
			return STATUS_FAULT;
		}
	}
	return 0;
}

/* As guard_string(), of bytes that may be covered: they decide where it ends. */
static struct guarded shadowed_string(const struct level *l, uint64_t shadows, char *to,
				      uint64_t from, uint64_t n)
{
	struct guarded got = guard_copy(to, from, n);
	uint64_t len;

	shadow_apply(l, shadows, from, (unsigned char *)to, got.n);
	len = str_len(to, got.n);
	if (len < got.n)
		return (struct guarded){len, GUARD_NUL};
	return got;
}

/* The part of a string on the page of at. */
static struct guarded string_part(struct level *l, char *to, uint64_t at, uint64_t n)
{
	struct guarded got;
	uint64_t shadows;

	if (!has_page(l, at))
		return (struct guarded){0, GUARD_FAULT};
	n = on_page(at, n);
	do {
		shadows = shadow_begin(l);
		got = shadow_covers(l, shadows, at, n)
			      ? shadowed_string(l, shadows, to, at, n)
			      : guard_string(to, at, n);
	} while (!shadow_end(l, shadows));
	return got;
}

static int64_t read_string(void *ctx, taddr addr, char *buf, size_t n, taddr *bad)
{
	size_t len = 0;

	while (len < n) {
		struct guarded got = string_part(ctx, buf + len, addr.v + len, n - len);

		len += got.n;
		if (got.end == GUARD_NUL)
			break;
		if (got.end == GUARD_FAULT) {
			*bad = taddr_of(addr.v + len);
			return STATUS_FAULT;
		}
	}
	return (int64_t)len;
}

void read_bind(struct vm_env *env)
{
	env->read = read_memory;
	env->read_str = read_string;
}
