/* SPDX-License-Identifier: MIT */
/*
 * module_read_code(): all that a file says about where control may arrive in its code,
 * and about code that must not be changed.
 *
 * Relocations that store an address of the module itself are applied to the data at
 * bias 0. So readers of the data see the same addresses whether the linker left them in
 * the data (RELR) or in the relocation (RELA).
 */
#include "symbols/symbols.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/eh_frame.h"
#include "symbols/elf/elf.h"
#include "symbols/elf/machine.h"
#include "symbols/elf/segment_data.h"
#include "symbols/dwarf/lsda.h"
#include "symbols/internal.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/pulse.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

/* Not in all versions of elf.h */
#define TAG_RELR      36
#define TAG_RELR_SIZE 35

struct building {
	const struct module *module;
	uint32_t nlooks;      /* whether to go on */
	uint64_t table_bytes; /* of exception tables that may still be read */
	const struct elf_file *file;
	int fd; /* of it, to keep; -1: there is none */
	struct {
		uint64_t value;
		size_t n;
		uint8_t *buf; /* WINDOW bytes */
	} window;	      /* of an area that is not in memory */
	struct fdes fdes;
	struct {
		struct code_area *data; /* vec */
		size_t len, cap;
	} areas;
	struct {
		struct symbol_part *data; /* vec */
		size_t len, cap;
	} frames;
	struct {
		uint64_t *data; /* vec */
		size_t len, cap;
	} pointers;
	struct {
		struct code_zone *data; /* vec */
		size_t len, cap;
	} zones;
};

/* Room is taken for so many pointers at once, and for their copy as the list grows. */
#define POINTERS_STEP 4096

/* Looks for one pulse: microseconds. */
#define LOOKS 1024

#define STAYS_MIN (256u << 10) /* smaller areas are read as a whole */
#define WINDOW	  (256u << 10)
#define SITE_MAX  64 /* bytes of a call site of an exception table, at most */

/*
 * Something was left out: jumps must not be planned with the rest. The same if reading is
 * to be given up.
 */
static bool is_over(struct building *b)
{
	if (++b->nlooks % LOOKS == 0 && pulse())
		b->file->budget->is_refused = true;
	return b->file->budget->is_refused;
}

static int compare_areas(const void *a, const void *b)
{
	const struct code_area *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/*
 * Whether an area of a segment is read when it is needed. What can be written to is
 * relocated.
 */
static bool stays_in_file(const struct building *b, const Elf64_Phdr *p, size_t size)
{
	return size >= STAYS_MIN && !(p->p_flags & PF_W) && b->fd >= 0;
}

/* What [lo, hi) of a segment has, which may be nothing. False: it is cut short. */
static bool add_area(struct building *b, const Elf64_Phdr *p, struct elf_range range,
		     bool is_code)
{
	struct code_area a = {.value = range.lo,
			      .size = (size_t)(range.hi - range.lo),
			      .is_code = is_code,
			      .offset = p->p_offset + (range.lo - p->p_vaddr)};

	if (range.lo >= range.hi)
		return true;
	if (stays_in_file(b, p, a.size)) {
		if (!elf_claim(b->file, a.offset, a.size))
			return false;
	} else {
		a.data = elf_read(b->file, a.offset, a.size);
		if (!a.data)
			return false;
	}
	*vec_push(&b->areas) = a;
	b->table_bytes += 4 * a.size;
	return true;
}

/* Whether code begins there, whatever the table of sections says. */
static bool has_code(const struct building *b, const struct elf_range *range)
{
	const struct module *m = b->module;
	const uint64_t size = range->hi - range->lo;

	for (size_t i = 0; i < m->nsymbols; i++)
		if (m->symbols[i].value - range->lo < size)
			return true;
	for (size_t i = 0; i < m->nparts; i++)
		if (m->parts[i].value - range->lo < size)
			return true;
	for (size_t i = 0; i < b->fdes.len; i++)
		if (b->fdes.data[i].code.lo - range->lo < size)
			return true;
	return b->file->header.e_entry - range->lo < size;
}

static size_t read_data(const struct building *b,
			struct elf_range out[SEGMENT_DATA_MAX])
{
	size_t all = segment_data_read(b->file, out), n = 0;

	for (size_t i = 0; i < all; i++)
		if (!has_code(b, &out[i]))
			out[n++] = out[i];
	return n;
}

/* A segment; of an executable one, the n ranges are data. False: it is cut short. */
static bool add_segment(struct building *b, const Elf64_Phdr *p,
			const struct elf_range *data, size_t n)
{
	uint64_t at = p->p_vaddr, end = at + p->p_filesz;
	bool is_code = p->p_flags & PF_X;

	for (size_t i = 0; is_code && i < n; i++) {
		struct elf_range range = {max_u64(at, data[i].lo),
					  min_u64(end, data[i].hi)};

		if (range.lo >= range.hi)
			continue;
		if (!add_area(b, p, (struct elf_range){at, range.lo}, true) ||
		    !add_area(b, p, range, false))
			return false;
		at = range.hi;
	}
	return add_area(b, p, (struct elf_range){at, end}, is_code);
}

static int read_areas(struct building *b, struct err *e)
{
	struct elf_range data[SEGMENT_DATA_MAX];
	size_t n = read_data(b, data);

	for (size_t i = 0; i < b->file->nsegments; i++) {
		const Elf64_Phdr *p = &b->file->segments[i];

		if (p->p_type != PT_LOAD || !p->p_filesz ||
		    p->p_filesz > UINT64_MAX - p->p_vaddr)
			continue;
		if (!add_segment(b, p, data, n))
			return err_set(e, STATUS_BADFMT, "'%s' is cut short",
				       b->module->path);
	}
	if (b->areas.len)
		qsort(b->areas.data, b->areas.len, sizeof(*b->areas.data),
		      compare_areas);
	return 0;
}

/* Makes the size bytes at vaddr, and what follows, part of the window. */
static uint8_t *window_at(struct building *b, const struct code_area *a, uint64_t vaddr,
			  size_t size)
{
	const uint64_t at = vaddr - a->value;
	uint64_t skip = vaddr - b->window.value;

	if (vaddr >= b->window.value && skip < b->window.n &&
	    size <= b->window.n - skip)
		return b->window.buf + skip;
	if (size > WINDOW)
		return NULL;
	if (!b->window.buf)
		b->window.buf = oom_realloc(NULL, WINDOW);
	b->window.value = vaddr;
	b->window.n = (size_t)min_u64(WINDOW, a->size - at);
	if (elf_read_at(b->file, b->window.buf, a->offset + at, b->window.n))
		return b->window.buf;
	b->window.n = 0;
	b->file->budget->is_refused = true;
	return NULL;
}

/* Reads all of an area. False: it cannot be. */
static bool hold_area(const struct building *b, struct code_area *a)
{
	if (!a->data)
		a->data = elf_read(b->file, a->offset, a->size);
	if (!a->data)
		b->file->budget->is_refused = true;
	return a->data;
}

/*
 * The size bytes at vaddr, which are in *area, until the next call; NULL if no area has
 * all of them.
 */
static uint8_t *area_at(struct building *b, uint64_t vaddr, size_t size,
			struct code_area **area)
{
	for (size_t i = 0; i < b->areas.len; i++) {
		struct code_area *a = &b->areas.data[i];
		uint64_t at = vaddr - a->value;

		if (vaddr < a->value || at >= a->size || size > a->size - at)
			continue;
		*area = a;
		return a->data ? a->data + at : window_at(b, a, vaddr, size);
	}
	return NULL;
}

static bool load_word(struct building *b, uint64_t vaddr, uint64_t *out)
{
	struct code_area *a;
	const uint8_t *p = area_at(b, vaddr, sizeof(*out), &a);

	if (p)
		memcpy(out, p, sizeof(*out));
	return p != NULL;
}

static void add_pointer(void *ctx, uint64_t address)
{
	struct building *b = ctx;

	if (b->pointers.len % POINTERS_STEP == 0 && !is_over(b) &&
	    !budget_take(b->file->budget, 2 * POINTERS_STEP * sizeof(address),
			 "a part of its relocations"))
		return;
	if (is_over(b))
		return;
	*vec_push(&b->pointers) = address;
}

/* The address of this module, at bias 0, that a relocation stores; false: another. */
static bool relocated(const struct building *b, const Elf64_Rela *r, uint64_t *value)
{
	const struct elf_symbols *table = &b->module->internal->dynamic;
	size_t i = ELF64_R_SYM(r->r_info);

	*value = (uint64_t)r->r_addend;
	switch (machine_relocation(r)) {
	case RELOCATION_RELATIVE:
	case RELOCATION_IFUNC:
		return true;
	case RELOCATION_SYMBOL: /* even if another module's symbol takes its place */
		if (i >= table->len || table->data[i].st_shndx == SHN_UNDEF)
			return false;
		*value += table->data[i].st_value;
		return true;
	default:
		return false;
	}
}

static void add_rela(struct building *b, uint64_t at, uint64_t size)
{
	struct code_area *area;
	uint64_t value;
	Elf64_Rela r;
	uint8_t *p;

	for (; size >= sizeof(r) && !is_over(b); size -= sizeof(r), at += sizeof(r)) {
		p = area_at(b, at, sizeof(r), &area);
		if (!p)
			return;
		memcpy(&r, p, sizeof(r));
		if (!relocated(b, &r, &value))
			continue;
		add_pointer(b, value);
		if (!area_at(b, r.r_offset, sizeof(value), &area) || area->is_code ||
		    !hold_area(b, area))
			continue;
		memcpy(area->data + (r.r_offset - area->value), &value, sizeof(value));
		area->is_relocated = true;
	}
}

static void add_stored(struct building *b, uint64_t at)
{
	uint64_t value;

	if (load_word(b, at, &value))
		add_pointer(b, value);
}

/*
 * RELR: an even word is the address of one relocated word; bits 1 to 63 of an odd word
 * say which of the following 63 words are relocated.
 */
static void add_relr(struct building *b, uint64_t at, uint64_t size)
{
	uint64_t word, next = 0;

	for (; size >= 8 && !is_over(b) && load_word(b, at, &word);
	     size -= 8, at += 8) {
		if (!(word & 1)) {
			add_stored(b, word);
			next = word + 8;
			continue;
		}
		for (unsigned i = 0; i < 63; i++) {
			if (word >> (i + 1) & 1)
				add_stored(b, next + 8 * i);
		}
		next += 8 * 63;
	}
}

static void add_relocations(struct building *b)
{
	uint64_t at, size;

	if (elf_dynamic_get(b->file, DT_RELA, &at) &&
	    elf_dynamic_get(b->file, DT_RELASZ, &size))
		add_rela(b, at, size);
	if (elf_dynamic_get(b->file, DT_JMPREL, &at) &&
	    elf_dynamic_get(b->file, DT_PLTRELSZ, &size))
		add_rela(b, at, size);
	if (elf_dynamic_get(b->file, TAG_RELR, &at) &&
	    elf_dynamic_get(b->file, TAG_RELR_SIZE, &size))
		add_relr(b, at, size);
}

/*
 * The bytes from an exception table on. *is_cut: there are more, in the file. NULL: there
 * are none.
 */
static const uint8_t *table_at(struct building *b, uint64_t lsda, size_t *left,
			       bool *is_cut)
{
	struct code_area *area;
	const uint8_t *p = area_at(b, lsda, 1, &area);

	*is_cut = false;
	if (!p)
		return NULL;
	*left = area->size - (size_t)(lsda - area->value);
	if (!area->data) {
		size_t held = b->window.n - (size_t)(p - b->window.buf);

		*is_cut = held < *left;
		*left = held;
	}
	return p;
}

/*
 * Its landing pads. Returns how many bytes it has. If it may go on behind the window, it
 * is read again with all of the window, then with all of the area: pads count twice.
 */
static uint64_t read_pads(struct building *b, const struct fde *r)
{
	for (bool is_again = false;; is_again = true) {
		struct encoded c = {.vaddr = r->lsda};
		struct code_area *area;
		uint64_t n;
		size_t left;
		bool is_cut;

		c.p = table_at(b, r->lsda, &left, &is_cut);
		if (!c.p)
			return 0;
		c.end = c.p + left;
		n = lsda_pads(c, r->code.lo, add_pointer, b);
		if (!is_cut || n + SITE_MAX < left)
			return n;
		b->window.n = 0;
		if (is_again && (!area_at(b, r->lsda, 1, &area) || !hold_area(b, area)))
			return 0;
	}
}

static void add_pads(struct building *b, const struct fde *r)
{
	uint64_t n = read_pads(b, r);

	/* those of a real file do not overlap much */
	if (n > b->table_bytes || budget_is_over())
		b->file->budget->is_refused = true;
	b->table_bytes -= min_u64(n, b->table_bytes);
}

static void add_frames(struct building *b)
{
	for (size_t i = 0; i < b->fdes.len && !is_over(b); i++) {
		const struct fde *r = &b->fdes.data[i];
		uint64_t size = r->code.hi - r->code.lo;

		*vec_push(&b->frames) = (struct symbol_part){r->code.lo, size};
		if (r->lsda)
			add_pads(b, r);
		if (r->is_signal)
			*vec_push(&b->zones) =
				(struct code_zone){r->code.lo, size, CODE_ZONE_SIGNAL};
	}
	vec_release(&b->fdes);
	sort_runs(b->frames.data, b->frames.len, sizeof(*b->frames.data));
}

/* struct rseq_cs: version and flags; start; size; abort handler. */
#define RSEQ_CS_SIZE 32
/* Bytes before the abort handler that the kernel compares with a signature. */
#define RSEQ_SIGNATURE 4

static void add_rseq(struct building *b)
{
	const Elf64_Shdr *s = elf_section(b->file, SHT_PROGBITS, ELF_RSEQ);
	uint64_t at, start, size, handler;

	for (at = 0; s && s->sh_size - at >= RSEQ_CS_SIZE && !is_over(b);
	     at += RSEQ_CS_SIZE) {
		if (!load_word(b, s->sh_addr + at + 8, &start) ||
		    !load_word(b, s->sh_addr + at + 16, &size) ||
		    !load_word(b, s->sh_addr + at + 24, &handler))
			return;
		if (!start || !handler)
			continue;
		add_pointer(b, handler);
		*vec_push(&b->zones) =
			(struct code_zone){start - 1, size + 1, CODE_ZONE_RSEQ};
		*vec_push(&b->zones) = (struct code_zone){
			handler - RSEQ_SIGNATURE, RSEQ_SIGNATURE, CODE_ZONE_RSEQ};
	}
}

static void add_symbols(struct building *b, const struct elf_symbols *table)
{
	for (size_t i = 0; i < table->len; i++) {
		const Elf64_Sym *s = &table->data[i];
		unsigned type = ELF64_ST_TYPE(s->st_info);

		if (s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS &&
		    type != STT_TLS && type != STT_SECTION && type != STT_FILE)
			add_pointer(b, s->st_value);
	}
}

static bool find_symbol(const struct elf_symbols *table, const char *name,
			uint64_t *value)
{
	for (size_t i = 0; i < table->len; i++) {
		const char *text = elf_symbol_name(table, i);

		if (!text || strcmp(text, name) != 0 ||
		    table->data[i].st_shndx == SHN_UNDEF)
			continue;
		*value = table->data[i].st_value;
		return true;
	}
	return false;
}

/* The code of cancellable system calls, in musl and in glibc since 2.41. */
static void add_cancel(struct building *b)
{
	static const char *const names[][2] = {
		{"__cp_begin", "__cp_end"},
		{"__syscall_cancel_arch_start", "__syscall_cancel_arch_end"},
	};
	const struct elf_symbols *table = &b->module->internal->full;
	uint64_t lo, hi;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (find_symbol(table, names[i][0], &lo) &&
		    find_symbol(table, names[i][1], &hi) && lo < hi)
			*vec_push(&b->zones) =
				(struct code_zone){lo, hi - lo, CODE_ZONE_CANCEL};
	}
}

/* After recover() Go's runtime jumps into the function that has deferred the call. */
static void add_resumed(struct building *b)
{
	const struct go_code *go = &b->module->internal->go;

	if (go->lo < go->hi)
		gotable_read_resumed(b->file, add_pointer, b);
}

static void build(struct building *b)
{
	add_relocations(b);
	add_frames(b);
	add_rseq(b);
	add_symbols(b, &b->module->internal->full);
	add_symbols(b, &b->module->internal->dynamic);
	add_cancel(b);
	add_resumed(b);
	add_pointer(b, b->file->header.e_entry);
}

static struct module_code *take(struct building *b)
{
	struct module_code *c = oom_calloc(1, sizeof(*c));

	c->areas = b->areas.data;
	c->nareas = b->areas.len;
	c->frames = b->frames.data;
	c->nframes = b->frames.len;
	c->pointers = b->pointers.data;
	c->npointers = b->pointers.len;
	c->zones = b->zones.data;
	c->nzones = b->zones.len;
	c->is_fixed = b->file->header.e_type == ET_EXEC;
	c->kept = b->file->budget->spent;
	c->fd = b->fd;
	return c;
}

int module_read_code(const struct module *m, struct module_code **out, struct err *e)
{
	struct building b = {.module = m};
	struct elf_file f;
	int status;

	*out = NULL;
	if (m->is_vdso)
		return err_set(e, STATUS_UNSUP, "the code of the vdso is in no file");
	status = module_open(m, &f, e);
	if (status)
		return status;
	b.file = &f;
	b.fd = fcntl(f.fd, F_DUPFD_CLOEXEC, 0);
	eh_frame_fdes(&f, &b.fdes);
	status = read_areas(&b, e);
	if (!status)
		build(&b);
	if (!status && is_over(&b))
		status = err_set(e, STATUS_BADFMT, "'%s' is too large", m->path);
	vec_release(&b.fdes);
	free(b.window.buf);
	*out = take(&b);
	budget_keep((*out)->kept);
	elf_release(&f);
	if (status) {
		module_code_free(*out);
		*out = NULL;
	}
	return status;
}
