/* SPDX-License-Identifier: MIT */
/*
 * Undoing hooks while the program goes on, which jumps.h describes: breakpoints take
 * over their sites in one standstill.
 */
#include "tracer/keeper/threads/jumps.h"
#include "tracer/keeper/space/masks.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/standstill.h"
#include "vm/base/host/vec.h"

/* The breakpoint site at addr, made if there is none; NULL when none can stand there. */
static struct bpt_site *make_site(struct space *s, taddr addr)
{
	struct bpt_site *site = bpt_find(s, addr.v);
	uint8_t code[INSN_MAX];
	const char *why;
	struct insn in;
	enum step_how how;
	size_t n = sizeof(code);

	if (site)
		return site;
	while (n && mem_read(s->mem, addr.v, code, n) < 0)
		n--;
	bpt_mask(s, addr.v, code, n);
	if (!n || decode(code, n, addr, &in) < 0)
		return NULL;
	how = step_plan(&in, &why);
	if (how == STEP_REFUSE || in.kind == INSN_INT)
		return NULL;
	site = bpt_add(s, &in);
	site->how = how;
	return site;
}

bool jumps_make_sites(struct space *s, const struct hook *hook, struct bpt_list *out)
{
	uint32_t index[HOOK_SITES_MAX], n = hook->plan.nsites;

	for (uint32_t i = 0; i < n; i++) {
		const struct bpt_site *site =
			make_site(s, hook_plan_address(&hook->plan, i));

		if (!site)
			return false;
		index[i] = (uint32_t)(site - s->sites.data);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct hooks *h = s->hooks;
		uint32_t hit = h->sites.data[hook->first_site + i].first_hit;

		for (; hit; hit = h->hits.data[hit - 1].next) {
			struct bpt_hit copy = h->hits.data[hit - 1];

			copy.next = 0;
			bpt_add_hit(s, &s->sites.data[index[i]], &copy);
		}
		if (!i || index[i] != index[i - 1])
			*vec_push(out) = index[i];
	}
	return true;
}

static void ignore_failure(void *ctx, uint32_t site)
{
	struct space *s = ctx;

	s->sites.data[site].is_set = false;
}

/* The breakpoint bytes of sites whose hooks have just gone. */
static void set_bytes(const struct jumps_undo *u, const struct bpt_list *list)
{
	struct space *s = u->space;
	struct procfs_maps maps = {0};
	struct bpt_write w = {s, s->mem, &maps, true, ignore_failure, s};

	for (size_t i = 0; i < list->len; i++)
		s->sites.data[list->data[i]].is_set = true;
	masks_add_bytes(s, list);
	bpt_write(&w, list);
	for (size_t i = 0; i < list->len; i++)
		s->nset += s->sites.data[list->data[i]].is_set;
	journal_add(&s->journal, JOURNAL_BYTES, list->len, 0);
}

static void add_unset(const struct space *s, taddr addr, struct bpt_list *list)
{
	const struct bpt_site *site = bpt_find(s, addr.v);
	uint32_t index = site ? (uint32_t)(site - s->sites.data) : 0;

	if (site && !site->is_set && (!list->len || list->data[list->len - 1] != index))
		*vec_push(list) = index;
}

static void exchange(const struct jumps_undo *u)
{
	struct space *s = u->space;
	struct patches patches = {0};
	struct bpt_list list = {0};

	for (size_t i = 0; i < u->n; i++)
		patches_add(&patches, &s->hooks->list.data[u->numbers[i]], true);
	patches_write(&patches, s->mem);
	masks_remove_jumps(s, &patches);
	for (size_t i = 0; i < patches.len; i++) {
		struct hook *hook = &s->hooks->list.data[patches.data[i].number];

		if (patches.data[i].is_board)
			continue;
		hooks_turn_off(s->hooks, hook);
		for (uint32_t k = 0; patches.data[i].is_done && k < hook->plan.nsites;
		     k++)
			add_unset(s, hook_plan_address(&hook->plan, k), &list);
	}
	bpt_sort(s, &list);
	set_bytes(u, &list);
	vec_release(&patches);
	vec_release(&list);
}

/* The hook of the request from whose board the thread is about to jump; or NULL. */
static const struct hook *boarded(const struct jumps_undo *u,
				  const struct standstill_thread *t)
{
	for (size_t i = 0; t->tid && i < u->n; i++) {
		const struct hook *hook = &u->space->hooks->list.data[u->numbers[i]];

		if (hooks_is_at_board(hook, t->pc))
			return hook;
	}
	return NULL;
}

/* What was a board is padding again: threads on one go back to the site. */
static int leave_boards(const struct jumps_undo *u, const struct standstill *still)
{
	const struct hook *hook;

	for (size_t i = 0; i < still->threads.len; i++)
		if (still->threads.data[i].is_asleep &&
		    boarded(u, &still->threads.data[i]))
			return STATUS_BUSY;
	for (size_t i = 0; i < still->threads.len; i++) {
		hook = boarded(u, &still->threads.data[i]);
		if (hook)
			pt_set_pc(still->threads.data[i].tid, hook->plan.patch.v);
	}
	return 0;
}

int jumps_undo(const struct jumps_undo *u)
{
	struct standstill still;
	int status = standstill_begin(&still, u->k, u->self, u->space);

	if (status < 0)
		return status;
	/*
	 * Threads in stubs stay: in the head they are on the way to firing, and from
	 * the tail they come back behind the bytes.
	 */
	status = leave_boards(u, &still);
	if (!status)
		exchange(u);
	standstill_end(&still);
	return status;
}
