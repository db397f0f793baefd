/* SPDX-License-Identifier: MIT */
/*
 * The stack of the thread that hit the site, walked by itself. Rows found once are
 * kept in the thread's tcb: then a frame costs a few loads.
 */
#include "hook/resident/guard.h"
#include "hook/resident/level.h"
#include "vm/base/bytes.h"
#include "vm/base/cfi_expression.h"
#include "vm/base/walk.h"

#define WORDS (3 * RESIDENT_WALK_FRAMES)

struct walk {
	struct level *level;
	uint64_t lo, size; /* of the thread's own stack, as far as it is in use */
	struct cfi_modules modules;
	/* Words read: addresses from lo on. */
	uint32_t nwords; /* above WORDS: the walk cannot be kept */
	bool by_sp;	 /* every frame was found from the stack pointer alone */
	bool is_return;	 /* the next word is a return address, found so */
	uint32_t at[WORDS];
	uint64_t value[WORDS];
	bool returns[WORDS];
};

static inline void note_word(struct walk *w, uint64_t at, uint64_t value)
{
	if (w->nwords >= WORDS || at > UINT32_MAX) {
		w->nwords = UINT32_MAX;
		return;
	}
	w->at[w->nwords] = (uint32_t)at;
	w->value[w->nwords] = value;
	w->returns[w->nwords] = w->is_return;
	w->is_return = false;
	w->nwords++;
}

/* Between sp and the end of the thread's own stack nothing needs to be asked. */
static inline bool read_word(void *ctx, uint64_t addr, uint64_t *value)
{
	struct walk *w = ctx;
	struct guarded got;
	taddr bad;

	if (addr - w->lo >= w->size) {
		w->nwords = UINT32_MAX;
		return read_memory(w->level, taddr_of(addr), value, sizeof(*value),
				   &bad) == 0;
	}
	got = guard_word(addr);
	*value = got.n;
	note_word(w, addr - w->lo, got.n);
	return got.end == GUARD_ALL;
}

/* What the step depends on besides words of the stack. */
static inline void note_row(struct walk *w, const struct cfi_row *row)
{
	switch (row ? (int)row->form : CFI_ROW_NONE) {
	case CFI_ROW_FIRST:
	case CFI_ROW_STOP:
		break;
	case CFI_ROW_NONE:
		w->by_sp = false;
		break;
	case CFI_ROW_PLAIN:
	case CFI_ROW_DEREF:
	case CFI_ROW_PLT:
		w->is_return = row->form != CFI_ROW_DEREF;
		if (row->reg != REGS_DWARF_SP || row->form == CFI_ROW_DEREF)
			w->by_sp = false;
		if (row->reg == REGS_DWARF_SP || row->reg == REGS_DWARF_FP ||
		    row->reg == REGS_DWARF_BASE)
			break;
		/* fallthrough */
	default:
		w->nwords = UINT32_MAX; /* another register */
	}
}

static inline const struct cfi_row *find_row(void *ctx, uint64_t pc)
{
	struct walk *w = ctx;
	const struct cfi_row *row = cfi_find_cached(
		&w->modules, w->level->tcb->cfi_cache, RESIDENT_CFI_CACHE, pc);

	note_row(w, row);
	return row;
}

static bool find_cfa(void *ctx, const struct walk_frame *f, const struct cfi_row *row,
		     uint64_t *cfa)
{
	struct walk *w = ctx;
	const struct unwind_source words = {.ctx = ctx, .word = read_word};
	const struct cfi_module *m =
		cfi_find_module(&w->modules, f->regs->pc - !f->is_exact);

	return m && cfi_expression_cfa(m, row, &words, f, cfa);
}

/* Rows found in a list that has been replaced may be another module's. */
static void check_cfi_cache(struct resident_tcb *tcb, uint64_t list)
{
	if (tcb->cfi_list == list)
		return;
	for (uint32_t i = 0; i < RESIDENT_CFI_CACHE; i++)
		tcb->cfi_cache[i].pc = 0;
	tcb->walk.frames = 0;
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
	out->is_edge =
		!l->now || (l->now->kind & (RESIDENT_RAW - 1)) != RESIDENT_OFFSET;
}

/* Whether the walk begins where the kept one did, and its words are what they were. */
static bool is_same(const struct walk *w, const struct resident_walk *kept,
		    const struct unwind_regs *regs)
{
	uint32_t nwords = kept->nwords;

	if (kept->pc != regs->pc || kept->sp != w->lo || kept->size != w->size ||
	    kept->is_edge != regs->is_edge || nwords > RESIDENT_WALK_WORDS)
		return false;
	if (!kept->by_sp && (kept->fp != regs->reg[REGS_DWARF_FP] ||
			     kept->base != regs->reg[REGS_DWARF_BASE]))
		return false;
	return guard_same(w->lo, kept->at, kept->value, nwords).n == nwords;
}

/* The frames of the kept walk, if this one would find the same; 0: it may not. */
static uint32_t recall(const struct walk *w, const struct unwind_regs *regs,
		       uint64_t *pcs, uint32_t n)
{
	const struct resident_walk *kept = &w->level->tcb->walk;
	uint32_t frames = kept->frames;

	if (!frames || kept->limit != n || frames > min_u32(n, RESIDENT_WALK_FRAMES) ||
	    !is_same(w, kept, regs))
		return 0;
	pcs[0] = regs->pc;
	if (kept->by_sp) /* no other words are kept */
		bytes_copy(pcs + 1, kept->value, (frames - 1) * sizeof(*pcs));
	for (uint32_t i = 1; i < frames && !kept->by_sp; i++)
		pcs[i] = kept->value[kept->word[i] % RESIDENT_WALK_WORDS];
	return frames;
}

static bool keep_word(const struct walk *w, struct resident_walk *kept, uint32_t i)
{
	if (kept->nwords == RESIDENT_WALK_WORDS)
		return false;
	kept->at[kept->nwords] = w->at[i];
	kept->value[kept->nwords] = w->value[i];
	kept->nwords++;
	return true;
}

/*
 * pcs[1] and the following are words that were read, in this order. Where the walk
 * depends on the return addresses alone, only these are kept.
 */
static bool keep_words(const struct walk *w, struct resident_walk *kept,
		       const uint64_t *pcs, uint32_t frames)
{
	uint32_t frame = 1;

	kept->nwords = 0;
	for (uint32_t i = 0; i < w->nwords; i++) {
		bool is_pc = frame < frames && w->value[i] == pcs[frame] &&
			     (w->returns[i] || !w->by_sp);

		if (is_pc)
			kept->word[frame++] = (uint8_t)kept->nwords;
		if ((is_pc || !w->by_sp) && !keep_word(w, kept, i))
			return false;
	}
	return frame == frames;
}

static void keep(const struct walk *w, const struct unwind_regs *start,
		 const uint64_t *pcs, uint32_t n, uint32_t frames)
{
	struct resident_walk *kept = &w->level->tcb->walk;

	kept->frames = 0;
	if (w->nwords > WORDS || frames > RESIDENT_WALK_FRAMES ||
	    !keep_words(w, kept, pcs, frames))
		return;
	kept->pc = start->pc;
	kept->sp = w->lo;
	kept->size = w->size;
	kept->fp = start->reg[REGS_DWARF_FP];
	kept->base = start->reg[REGS_DWARF_BASE];
	kept->by_sp = w->by_sp;
	kept->is_edge = start->is_edge;
	kept->limit = n;
	kept->frames = frames;
}

static ATTR_NOINLINE uint32_t walk(struct level *l, uint64_t *pcs, uint32_t n,
				   struct unwind_regs *regs)
{
	struct walk w;
	const struct unwind_source source = {
		.ctx = &w, .word = read_word, .row = find_row, .expression = find_cfa};
	struct unwind_regs start;
	uint32_t frames;

	w.level = l;
	w.nwords = 0;
	w.by_sp = true;
	w.is_return = false;
	begin(&w);
	take_registers(l, regs);
	regs->is_truncated = false;
	frames = pcs ? recall(&w, regs, pcs, n) : 0;
	if (frames)
		return frames;
	start.pc = regs->pc;
	start.is_edge = regs->is_edge;
	start.reg[REGS_DWARF_FP] = regs->reg[REGS_DWARF_FP];
	start.reg[REGS_DWARF_BASE] = regs->reg[REGS_DWARF_BASE];
	frames = unwind_walk(&source, regs, pcs, n);
	if (!regs->pc) /* the word that ended it is the pc of no frame */
		w.by_sp = false;
	if (pcs && !regs->is_truncated)
		keep(&w, &start, pcs, n, frames);
	return frames;
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
