/* SPDX-License-Identifier: MIT */
#include "symbols/elf/segment_data.h"

#include <stdlib.h>

#include "vm/base/host/vec.h"

#define PADDING 64 /* bytes between sections: no alignment of theirs is larger */

struct section {
	struct elf_range range;
	bool is_code;
};

struct sections {
	struct section *data; /* vec */
	size_t len, cap;
};

/* Whether an executable segment has all of the section, from where the file has it. */
static bool is_in_code(const struct elf_file *f, const Elf64_Shdr *s)
{
	const Elf64_Phdr *p = elf_code_at(f, s->sh_addr);
	uint64_t skip;

	if (!p)
		return false;
	skip = s->sh_addr - p->p_vaddr;
	return s->sh_size <= p->p_filesz - skip && s->sh_offset == p->p_offset + skip;
}

static void add_sections(const struct elf_file *f, struct sections *all)
{
	for (size_t i = 0; i < f->nsections; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		struct elf_range range = {
			s->sh_addr, s->sh_addr + min_u64(s->sh_size, ~s->sh_addr)};

		if (!(s->sh_flags & SHF_ALLOC) || s->sh_type == SHT_NOBITS ||
		    !s->sh_size)
			continue;
		if (s->sh_flags & SHF_EXECINSTR)
			*vec_push(all) = (struct section){range, true};
		else if (is_in_code(f, s))
			*vec_push(all) = (struct section){range, false};
	}
}

static int compare_sections(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	return (x->range.lo > y->range.lo) - (x->range.lo < y->range.lo);
}

static size_t end_run(struct elf_range *run, size_t n,
		      struct elf_range out[SEGMENT_DATA_MAX])
{
	if (run->hi - run->lo >= SEGMENT_DATA_MIN && n < SEGMENT_DATA_MAX)
		out[n++] = *run;
	*run = (struct elf_range){0};
	return n;
}

size_t segment_data_read(const struct elf_file *f,
			 struct elf_range out[SEGMENT_DATA_MAX])
{
	struct sections all = {0};
	struct elf_range run = {0};
	uint64_t code_end = 0;
	size_t n = 0;

	add_sections(f, &all);
	if (all.len)
		qsort(all.data, all.len, sizeof(*all.data), compare_sections);
	for (size_t i = 0; i < all.len; i++) {
		const struct section *s = &all.data[i];

		if (s->is_code) {
			run.hi = min_u64(run.hi, s->range.lo);
			n = end_run(&run, n, out);
			code_end = max_u64(code_end, s->range.hi);
		} else if (run.hi && s->range.lo <= run.hi + PADDING) {
			run.hi = max_u64(run.hi, s->range.hi);
		} else if (s->range.lo >= code_end) {
			n = end_run(&run, n, out);
			run = s->range;
		}
	}
	n = end_run(&run, n, out);
	vec_release(&all);
	return n;
}
