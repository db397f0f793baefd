/* SPDX-License-Identifier: MIT */
/*
 * The stack of the thread that hit the site, walked by itself. Rows found once are
 * kept in the thread's tcb: then a frame costs a few loads.
 */
#include "hook/resident/guard.h"
#include "hook/resident/level.h"
#include "vm/base/walk.h"

struct walk {
	struct level *level;
	uint64_t lo, size; /* of the thread's own stack, as far as it is in use */
	struct cfi_modules modules;
};

/* Between sp and the end of the thread's own stack nothing needs to be asked. */
static inline bool read_word(void *ctx, uint64_t addr, uint64_t *value)
{
	const struct walk *w = ctx;
	struct guarded got;
	taddr bad;

	if (addr - w->lo >= w->size)
		return read_memory(w->level, taddr_of(addr), value, sizeof(*value),
				   &bad) == 0;
	got = guard_word(addr);
	*value = got.n;
	return got.end == GUARD_ALL;
}

static inline const struct cfi_row *find_row(void *ctx, uint64_t pc)
{
	const struct walk *w = ctx;

	return cfi_find_cached(&w->modules, w->level->tcb->cfi_cache,
			       RESIDENT_CFI_CACHE, pc);
}

/* Rows found in a list that has been replaced may be another module's. */
static void check_cfi_cache(struct resident_tcb *tcb, uint64_t list)
{
	if (tcb->cfi_list == list)
		return;
	for (uint32_t i = 0; i < RESIDENT_CFI_CACHE; i++)
		tcb->cfi_cache[i].pc = 0;
	tcb->cfi_list = list;
}

static void begin(struct walk *w)
{
	const struct resident_block *b = w->level->block;
	const struct resident_thread *t = &w->level->tcb->thread;
	struct list list = list_of(&b->modules, b->layout.config.nmodules);
	uint64_t sp = regs_sp(w->level->regs);

	w->lo = sp;
	w->size = sp >= t->stack_lo && sp < t->stack_hi ? t->stack_hi - sp : 0;
	w->modules.modules =
		(const void *)((const unsigned char *)b + b->layout.modules_at +
			       list.first * sizeof(struct cfi_module));
	w->modules.n = list.n;
	check_cfi_cache(w->level->tcb, resident_list(list.first, list.n));
}

static void take_registers(const struct level *l, struct unwind_regs *out)
{
	regs_to_dwarf(l->regs, out->reg);
	out->reg[REGS_DWARF_SP] = level_sp(l);
	out->pc = level_pc(l);
	out->is_edge = true;
}

static ATTR_NOINLINE uint32_t walk(struct level *l, uint64_t *pcs, uint32_t n,
				   struct unwind_regs *regs)
{
	struct walk w = {.level = l};
	const struct unwind_source source = {&w, read_word, find_row};

	begin(&w);
	take_registers(l, regs);
	return unwind_walk(&source, regs, pcs, n);
}

uint32_t stack_take(void *ctx, uint64_t *pcs, uint32_t n)
{
	struct level *l = ctx;
	struct unwind_regs regs;
	uint32_t count = walk(l, pcs, n, &regs);

	/* missed-ustack does not report its own stacks */
	if (regs.is_truncated && !(l->now && l->now->kind == RESIDENT_TRUNCATED)) {
		struct state_drops *d = state_drops(l->vm.state, l->vm.slot);

		atomic_fetch_add_explicit(&d->stacks, 1, memory_order_relaxed);
		l->truncated_pc = regs.pc;
		l->truncated_frames = count;
	}
	return count;
}

uint64_t stack_caller(struct level *l)
{
	struct unwind_regs regs;
	uint64_t pcs[2];

	return walk(l, pcs, 2, &regs) == 2 ? pcs[1] : 0;
}
