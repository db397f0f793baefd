/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/stacks.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/hash.h"
#include "vm/base/cfi_expression.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/walk.h"

#include <stdlib.h>
#include <string.h>

#define PAGE	     4096
#define WINDOW_BYTES (3 * PAGE)

/* What is kept until stacks_recycle(): rows of so many modules, and so many bytes. */
#define SPARE_MAX	32
#define SPARE_BYTES_MAX (4u << 20)
/*
 * A target whose thread never leaves a hit keeps stacks_recycle() away. With so many
 * times as much, modules get no rows any more.
 */
#define SPARE_TIMES 16
/* Elements of lists, beyond those of some lists of all modules. */
#define LISTED_MAX   4096
#define LISTS_OF_ALL 8

struct stacks *stacks_new(void)
{
	return oom_calloc(1, sizeof(struct stacks));
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->files.len; i++)
		free(s->files.data[i]);
	vec_release(&s->files);
	vec_release(&s->modules);
	vec_release(&s->spare);
	vec_release(&s->lists);
	vec_release(&s->areas);
	map_release(&s->there);
	free(s);
}

void stacks_forget(struct stacks *s, struct addr_range r)
{
	size_t n = 0;

	for (size_t i = 0; i < s->modules.len; i++) {
		const struct cfi_module *m = &s->modules.data[i];

		if (m->hi <= r.lo.v || m->lo >= r.hi.v)
			s->modules.data[n++] = *m;
		else
			*vec_push(&s->spare) = (struct stacks_rows){m->rows, m->nrows};
	}
	if (n < s->modules.len)
		memset(s->known, 0, sizeof(s->known));
	s->modules.len = n;
}

static int compare_modules(const void *a, const void *b)
{
	const struct cfi_module *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Turns rows from an offset into an address; false: it is not inside the file. */
static bool settle(struct cfi_module *m, const struct cfi_file *f, uint64_t least)
{
	if (m->lo >= m->hi || m->rows < least || m->rows > f->bytes || m->rows % 8 ||
	    m->nrows > (f->bytes - m->rows) / sizeof(struct cfi_row))
		return false;
	m->rows += (uint64_t)(uintptr_t)f;
	return true;
}

/* Gives the module spare rows with the same content; false: there are none. */
static bool take_spare(struct stacks *s, struct cfi_module *m)
{
	for (size_t i = 0; i < s->spare.len; i++) {
		const struct stacks_rows *x = &s->spare.data[i];

		if (x->nrows != m->nrows ||
		    memcmp((const void *)(uintptr_t)x->rows,
			   (const void *)(uintptr_t)m->rows,
			   m->nrows * sizeof(struct cfi_row)) != 0)
			continue;
		m->rows = x->rows;
		s->spare.data[i] = s->spare.data[--s->spare.len];
		return true;
	}
	return false;
}

static uint64_t spare_bytes(const struct stacks *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->spare.len; i++)
		n += s->spare.data[i].nrows * sizeof(struct cfi_row);
	return n;
}

static bool is_stuffed(const struct stacks *s)
{
	return s->spare.len > SPARE_MAX * SPARE_TIMES ||
	       spare_bytes(s) > (uint64_t)SPARE_BYTES_MAX * SPARE_TIMES;
}

int stacks_add(struct stacks *s, struct link_memory rows, struct err *e)
{
	struct cfi_file *f = link_copy(rows, e);
	struct cfi_module *m;
	bool is_needed = false;
	int status = 0;
	uint64_t tables;

	if (!f) {
		err_context(e, "cannot read the rows");
		return e->status;
	}
	m = (void *)(f + 1);
	tables = rows.bytes < sizeof(*f) ? 0 : (rows.bytes - sizeof(*f)) / sizeof(*m);
	if (!tables || f->magic != CFI_MAGIC || f->bytes != rows.bytes ||
	    f->nmodules > tables) {
		free(f);
		return err_set(e, STATUS_BADFMT, "the rows are malformed");
	}
	for (uint32_t i = 0; i < f->nmodules && !status; i++) {
		if (!settle(&m[i], f, sizeof(*f) + f->nmodules * sizeof(*m))) {
			status = err_set(e, STATUS_BADFMT, "the rows are malformed");
			break;
		}
		stacks_forget(
			s, (struct addr_range){taddr_of(m[i].lo), taddr_of(m[i].hi)});
		if (is_stuffed(s)) {
			s->is_full = true;
			continue;
		}
		is_needed |= !take_spare(s, &m[i]);
		*vec_push(&s->modules) = m[i];
	}
	if (is_needed)
		*vec_push(&s->files) = (char *)f;
	else
		free(f);
	if (s->modules.len)
		qsort(s->modules.data, s->modules.len, sizeof(*s->modules.data),
		      compare_modules);
	return status;
}

/* A list of these modules that was published before, in the table; or NULL. */
static const struct stacks_list *find_list(const struct stacks *s,
					   const struct cfi_module *table,
					   const struct stacks_list *wanted,
					   const struct cfi_module *modules)
{
	for (size_t i = 0; i < s->lists.len; i++) {
		const struct stacks_list *l = &s->lists.data[i];

		if (l->hash == wanted->hash && l->n == wanted->n &&
		    memcmp(table + l->first, modules, l->n * sizeof(*modules)) == 0)
			return l;
	}
	return NULL;
}

uint64_t stacks_missing(const struct stacks *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->modules.len; i++)
		if (!map_get(&s->there, s->modules.data[i].rows, NULL))
			n += s->modules.data[i].nrows * sizeof(struct cfi_row);
	return n;
}

void stacks_copy_missing(const struct stacks *s, void *to)
{
	char *at = to;

	for (size_t i = 0; i < s->modules.len; i++) {
		const struct cfi_module *m = &s->modules.data[i];
		uint64_t n = m->nrows * sizeof(struct cfi_row);

		if (map_get(&s->there, m->rows, NULL))
			continue;
		memcpy(at, (const void *)(uintptr_t)m->rows, n);
		at += n;
	}
}

bool stacks_take_area(struct stacks *s, uint64_t *at, uint64_t *bytes)
{
	uint64_t size = PAGE;

	/* few sizes, so that any mapping will be of use again */
	while (size < *bytes)
		size *= 2;
	*bytes = size;
	for (size_t i = 0; i < s->areas.len; i++) {
		const struct stacks_area *a = &s->areas.data[i];

		if (!a->is_free || a->bytes != size)
			continue;
		*at = a->at;
		s->areas.data[i] = s->areas.data[--s->areas.len];
		return true;
	}
	return false;
}

void stacks_note_there(struct stacks *s, uint64_t at, uint64_t bytes)
{
	*vec_push(&s->areas) = (struct stacks_area){.at = at, .bytes = bytes};
	for (size_t i = 0; i < s->modules.len; i++) {
		const struct cfi_module *m = &s->modules.data[i];

		if (map_get(&s->there, m->rows, NULL))
			continue;
		map_set(&s->there, m->rows, at);
		at += m->nrows * sizeof(struct cfi_row);
	}
}

uint64_t stacks_listed_max(const struct stacks *s)
{
	return LISTED_MAX + LISTS_OF_ALL * s->modules.len;
}

bool stacks_are_crowded(const struct stacks *s, const struct resident_view *v)
{
	uint64_t listed = stacks_listed_max(s);

	if (v)
		listed = min_u64(listed, v->there.nmodules / 2);
	return s->spare.len > SPARE_MAX || spare_bytes(s) > SPARE_BYTES_MAX ||
	       s->nlisted > listed;
}

/* Whether rows of a module that is there are at these addresses of the keeper. */
static bool is_file_needed(const struct stacks *s, const char *file)
{
	const struct cfi_file *f = (const void *)file;

	for (size_t i = 0; i < s->modules.len; i++)
		if (s->modules.data[i].rows - (uintptr_t)f < f->bytes)
			return true;
	return false;
}

static void free_areas(struct stacks *s)
{
	for (size_t i = 0; i < s->areas.len; i++)
		s->areas.data[i].is_free = true;
	for (size_t i = 0; i < s->modules.len; i++) {
		uint64_t at;

		if (!map_get(&s->there, s->modules.data[i].rows, &at))
			continue;
		for (size_t k = 0; k < s->areas.len; k++)
			if (at - s->areas.data[k].at < s->areas.data[k].bytes)
				s->areas.data[k].is_free = false;
	}
}

static void give_up_spare(struct stacks *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->spare.len; i++)
		map_remove(&s->there, s->spare.data[i].rows);
	s->spare.len = 0;
	for (size_t i = 0; i < s->files.len; i++) {
		if (is_file_needed(s, s->files.data[i]))
			s->files.data[n++] = s->files.data[i];
		else
			free(s->files.data[i]);
	}
	s->files.len = n;
	free_areas(s);
}

void stacks_recycle(struct stacks *s, const struct resident_view *v, uint32_t ntcbs)
{
	give_up_spare(s);
	s->lists.len = 0;
	s->nlisted = 0;
	s->is_full = false;
	/* What a thread found in an old list may be wrong in a new one in its place. */
	for (uint32_t i = 0; i < ntcbs; i++)
		resident_tcb_forget_rows(resident_tcb_at(v, i));
	if (v)
		stacks_publish(s, v);
}

void stacks_publish(struct stacks *s, const struct resident_view *v)
{
	struct cfi_module *all = resident_module_table(v), *now;
	struct stacks_list list = {.first = s->nlisted};
	const struct stacks_list *same;

	now = oom_calloc(s->modules.len + 1, sizeof(*now));
	for (size_t i = 0; i < s->modules.len; i++) {
		struct cfi_module m = s->modules.data[i];

		if (map_get(&s->there, m.rows, &m.rows))
			now[list.n++] = m;
	}
	list.hash = hash_bytes(now, list.n * sizeof(*now), 0);
	same = find_list(s, all, &list, now);
	if (same) {
		list = *same;
	} else if (list.n <= v->there.nmodules - s->nlisted) {
		memcpy(&all[list.first], now, list.n * sizeof(*now));
		s->nlisted += list.n;
		*vec_push(&s->lists) = list;
	} else {
		s->is_full = true;
		list.n = 0;
	}
	free(now);
	atomic_store_explicit(&v->block->modules, resident_list(list.first, list.n),
			      memory_order_release);
}

bool stacks_report_full(struct stacks *s)
{
	bool is_news = s && s->is_full && !s->is_reported;

	if (is_news)
		s->is_reported = true;
	return is_news;
}

/* One walk: the piece of stack read last. */
struct walk {
	struct stacks *stacks;
	int mem;
	uint64_t lo, hi;
	unsigned char bytes[WINDOW_BYTES];
};

/* To the end of the second page: that much a stack of usual depth takes. */
static bool fetch(struct walk *w, uint64_t addr)
{
	size_t n = 2 * PAGE - addr % PAGE;

	w->lo = addr;
	w->hi = addr + mem_peek_some(w->mem, taddr_of(addr), w->bytes, n);
	return w->hi - w->lo >= sizeof(uint64_t);
}

static bool read_word(void *ctx, uint64_t addr, uint64_t *value)
{
	struct walk *w = ctx;

	if (addr < w->lo || addr - w->lo + sizeof(*value) > w->hi - w->lo) {
		if (!fetch(w, addr))
			return false;
	}
	memcpy(value, w->bytes + (addr - w->lo), sizeof(*value));
	return true;
}

static const struct cfi_row *find_row(void *ctx, uint64_t pc)
{
	struct stacks *s = ((struct walk *)ctx)->stacks;
	const struct cfi_modules list = {s->modules.data, (uint32_t)s->modules.len};

	return cfi_find_cached(&list, s->known, STACKS_KNOWN, pc);
}

static bool find_cfa(void *ctx, const struct walk_frame *f, const struct cfi_row *row,
		     uint64_t *cfa)
{
	struct walk *w = ctx;
	const struct stacks *s = w->stacks;
	const struct cfi_modules list = {s->modules.data, (uint32_t)s->modules.len};
	const struct unwind_source words = {.ctx = w, .word = read_word};
	const struct cfi_module *m = cfi_find_module(&list, f->regs->pc - !f->is_exact);

	return m && cfi_expression_cfa(m, row, &words, f, cfa);
}

static const struct cfi_row *find_nothing(void *ctx, uint64_t pc)
{
	(void)ctx;
	(void)pc;
	return NULL;
}

/* There is no code: the thread has come there by a call, and has run nothing since. */
static bool is_called_nowhere(struct walk *w, uint64_t pc)
{
	unsigned char byte;

	return !(w->stacks && find_row(w, pc)) &&
	       mem_peek_some(w->mem, taddr_of(pc), &byte, sizeof(byte)) == 0;
}

uint32_t stacks_walk(struct stacks *s, struct stacks_thread *t, uint64_t *pcs,
		     uint32_t n)
{
	struct unwind_regs regs = {.pc = regs_pc(t->regs)};
	struct walk w;
	struct unwind_source source = {&w, read_word, s ? find_row : find_nothing,
				       find_cfa};
	uint32_t count;

	regs_to_dwarf(t->regs, regs.reg);
	w.stacks = s;
	w.mem = t->mem;
	w.lo = w.hi = 0;
	regs.is_edge = t->is_edge || is_called_nowhere(&w, regs.pc);
	count = unwind_walk(&source, &regs, pcs, n);
	t->truncated_pc = taddr_of(regs.is_truncated ? regs.pc : 0);
	return count;
}

/* What is known of the present frame. */
static struct stacks_frame frame_of(const struct walk_frame *f)
{
	const uint64_t *reg = f->regs->reg;

	return (struct stacks_frame){
		.pc = f->regs->pc,
		.sp = reg[REGS_DWARF_SP],
		.fp = walk_is_known(f, REGS_DWARF_FP) ? reg[REGS_DWARF_FP] : 0,
		.base = walk_is_known(f, REGS_DWARF_BASE) ? reg[REGS_DWARF_BASE] : 0,
		.is_exact = f->is_exact,
		.end = UINT64_MAX,
	};
}

static bool returns_from_handler(const struct unwind_source *s,
				 const struct walk_frame *f, const struct cfi_row *row)
{
	if (row && row->form != CFI_ROW_NONE)
		return row->form == CFI_ROW_SIGNAL;
	return !f->is_exact && walk_is_sigreturn(s, f->regs->pc);
}

/* The first frame. */
static void begin(const struct stacks_visit *v, struct walk_frame *f)
{
	uint64_t *reg = f->regs->reg;

	if (v->thread) {
		regs_to_dwarf(v->thread->regs, reg);
		f->regs->pc = regs_pc(v->thread->regs);
		f->is_exact = true;
		f->known = (UINT32_C(1) << REGS_DWARF_COUNT) - 1;
		return;
	}
	reg[REGS_DWARF_SP] = v->first->sp;
	reg[REGS_DWARF_FP] = v->first->fp;
	reg[REGS_DWARF_BASE] = v->first->base;
	f->regs->pc = v->first->pc;
	f->is_exact = v->first->is_exact;
	f->known = 1u << REGS_DWARF_SP | 1u << REGS_DWARF_FP | 1u << REGS_DWARF_BASE;
}

enum stacks_end stacks_each(struct stacks *s, const struct stacks_visit *v)
{
	struct walk w = {.stacks = s, .mem = v->mem};
	struct unwind_source source = {&w, read_word, s ? find_row : find_nothing,
				       find_cfa};
	struct unwind_regs regs = {0};
	struct walk_frame f = {.regs = &regs};
	bool is_edge = v->thread && v->thread->is_edge;

	begin(v, &f);
	while (regs.pc) {
		const struct cfi_row *row = source.row(&w, regs.pc - !f.is_exact);
		struct stacks_frame frame = frame_of(&f);
		bool is_last;

		frame.is_handled = returns_from_handler(&source, &f, row);
		is_last = !walk_step(&source, &f, row, is_edge);
		is_edge = false;
		if (!is_last)
			frame.end = regs.reg[REGS_DWARF_SP];
		if (!v->visit(v->ctx, &frame))
			return STACKS_ENOUGH;
		if (is_last)
			return walk_is_outermost(&f, row) ? STACKS_OUTERMOST
							  : STACKS_TRUNCATED;
	}
	return STACKS_OUTERMOST;
}
