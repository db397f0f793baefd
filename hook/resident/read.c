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

#define PAGE UINT64_C(4096)

/* The stack from rsp's page up; below, it need not be mapped yet. */
static bool is_own_stack(const struct level *l, uint64_t page)
{
	const struct resident_thread *t = &l->area->thread;
	uint64_t rsp = l->regs->rsp;

	return rsp >= t->stack_lo && rsp < t->stack_hi &&
	       page >= align_down(rsp, PAGE) && page + PAGE <= t->stack_hi;
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
		(const void *)((const unsigned char *)b + b->ranges_at);
	uint64_t list = atomic_load_explicit(&b->ranges, memory_order_acquire);
	uint32_t first = (uint32_t)list, n = (uint32_t)(list >> 32);

	if (n > b->config.nranges || first > b->config.nranges - n)
		return false;
	return is_in_list(ranges + first, n, page);
}

static bool is_readable(struct level *l, uint64_t page)
{
	struct page *known = &l->pages[page / PAGE % PAGES];

	if (known->hit == l->hit && known->page == page)
		return true;
	if (page < PAGE || page >= l->block->user_end)
		return false;
	if (!is_own_stack(l, page) && !is_listed(l, page) && !sys_is_readable(page))
		return false;
	*known = (struct page){page, l->hit};
	return true;
}

/* Of n bytes at addr those on its page; 0 when that cannot be read. */
static uint64_t readable_part(struct level *l, uint64_t addr, uint64_t n)
{
	uint64_t page = align_down(addr, PAGE);

	return is_readable(l, page) ? min_u64(n, PAGE - (addr - page)) : 0;
}

int read_memory(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	unsigned char *to = buf;

	for (uint64_t at = addr.v; n;) {
		uint64_t part = readable_part(ctx, at, n);
		struct guarded got = guard_copy(to, at, part);

		at += got.n;
		to += got.n;
		n -= got.n;
		if (part == 0 || got.end == GUARD_FAULT) {
			*bad = taddr_of(at);
			return STATUS_FAULT;
		}
	}
	return 0;
}

static int64_t read_string(void *ctx, taddr addr, char *buf, size_t n, taddr *bad)
{
	size_t len = 0;

	while (len < n) {
		uint64_t at = addr.v + len;
		uint64_t part = readable_part(ctx, at, n - len);
		struct guarded got = guard_string(buf + len, at, part);

		len += got.n;
		if (got.end == GUARD_NUL)
			break;
		if (part == 0 || got.end == GUARD_FAULT) {
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
