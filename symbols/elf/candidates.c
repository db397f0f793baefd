/* SPDX-License-Identifier: MIT */
#include "symbols/elf/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "vm/base/host/oom.h"
#include "vm/base/host/search.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

enum {
	NAME_MAX_BYTES = 65536, /* no compiler makes longer ones */
	NAMES_OVERLAP = 8,
	CANDIDATES_STEP = 1024, /* candidates for which room is taken at once */
	/* with the tables that are made of one, and their growth */
	CANDIDATE_BYTES = 300,
	/* leading underscores count most, then the version, then the binding */
	RANK_LOCAL = 2,
	RANK_WEAK = 1,
	RANK_OLD_VERSION = 4,
	RANK_UNDERSCORE = 8,
	UNDERSCORES_MAX = 15,
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_areas(const void *a, const void *b)
{
	const struct elf_range *x = a, *y = b;

	return compare_u64(x->lo, y->lo);
}

void code_areas_read(const struct elf_file *f, struct code_areas *out)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && p->p_filesz &&
		    p->p_filesz <= UINT64_MAX - p->p_vaddr)
			*vec_push(out) = (struct elf_range){p->p_vaddr,
							    p->p_vaddr + p->p_filesz};
	}
	if (out->len)
		qsort(out->data, out->len, sizeof(*out->data), compare_areas);
	for (size_t i = 1; i < out->len; i++) {
		if (out->data[i].lo <= out->data[n].hi)
			out->data[n].hi = max_u64(out->data[n].hi, out->data[i].hi);
		else
			out->data[++n] = out->data[i];
	}
	out->len = out->len ? n + 1 : 0;
}

bool code_areas_hold(const struct code_areas *areas, uint64_t value, uint64_t size)
{
	const struct elf_range *data = areas->data;
	size_t n = 0;

	if (areas->len)
		n = search_at_most(&data->lo, areas->len, sizeof(*data), value);
	return n && value < data[n - 1].hi && size <= data[n - 1].hi - value;
}

/* The section of a function whose symbol has no size; NULL: it is none to trace. */
static const Elf64_Shdr *open_section(const Elf64_Sym *s, const struct elf_file *f)
{
	const Elf64_Shdr *section;

	if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx >= f->nsections)
		return NULL;
	section = &f->sections[s->st_shndx];
	return section->sh_flags & SHF_EXECINSTR &&
			       s->st_value - section->sh_addr < section->sh_size
		       ? section
		       : NULL;
}

/*
 * Assembly source often sets the size of a function but not its type, or the type but
 * not the size.
 */
static bool is_function(const Elf64_Sym *s, const char *name, const struct elf_file *f)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF || !name || !name[0])
		return false;
	if (!s->st_size)
		return open_section(s, f) != NULL;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* .annobin_*, $x and the like mark addresses, not functions */
	return type == STT_NOTYPE && name[0] != '.' && name[0] != '$' &&
	       s->st_shndx < f->nsections &&
	       (f->sections[s->st_shndx].sh_flags & SHF_EXECINSTR);
}

static uint8_t rank_of(unsigned bind, bool is_old_version, const char *name)
{
	uint64_t underscores = min_u64(strspn(name, "_"), UNDERSCORES_MAX);
	unsigned rank = RANK_LOCAL;

	if (bind == STB_GLOBAL || bind == STB_GNU_UNIQUE)
		rank = 0;
	else if (bind == STB_WEAK)
		rank = RANK_WEAK;
	if (is_old_version)
		rank += RANK_OLD_VERSION;
	return (uint8_t)(rank + underscores * RANK_UNDERSCORE);
}

bool symbol_is_global(const struct symbol *sym)
{
	return sym->rank < CANDIDATE_RANK_UNNAMED &&
	       !(sym->rank % RANK_OLD_VERSION & RANK_LOCAL);
}

/* Cuts @VERSION or @@VERSION off; true for the former: not the default version. */
static bool cut_version(char *name)
{
	char *at = strchr(name + 1, '@');
	bool is_old = at && at[1] != '@';

	if (at)
		*at = '\0';
	return is_old;
}

/* What compilers add to every program: code that runs before and after it. */
static bool is_of_compiler(const Elf64_Sym *s, const struct elf_file *f,
			   const char *source)
{
	const char *section = elf_section_name(f, &f->sections[s->st_shndx]);

	return strcmp(source, "crtstuff.c") == 0 || strcmp(section, ".init") == 0 ||
	       strcmp(section, ".fini") == 0;
}

/* Of a symbol without a size: to the end of its section. */
static void open_candidate(struct candidate *x, const Elf64_Sym *s,
			   const struct elf_file *f)
{
	const Elf64_Shdr *section = open_section(s, f);

	x->is_open = true;
	x->symbol.size = section->sh_size - (s->st_value - section->sh_addr);
}

static void add_symbol(struct candidates *c, const Elf64_Sym *s, char *name,
		       bool is_old_version)
{
	unsigned bind = ELF64_ST_BIND(s->st_info);
	struct candidate *x = vec_push(c);

	is_old_version |= cut_version(name);
	*x = (struct candidate){.is_local = bind == STB_LOCAL};
	x->symbol.name = name;
	x->symbol.value = s->st_value;
	x->symbol.size = s->st_size;
	x->symbol.rank = rank_of(bind, is_old_version, name);
	x->symbol.is_ifunc = ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC;
}

bool candidates_have_room(const struct candidates *c, const struct elf_file *f)
{
	return c->len % CANDIDATES_STEP ||
	       budget_take(f->budget, (uint64_t)CANDIDATES_STEP * CANDIDATE_BYTES,
			   "a part of its functions");
}

size_t candidates_add_table(struct candidates *c, struct elf_symbols *table,
			    const struct elf_file *f, const struct code_areas *areas)
{
	const uint16_t hidden_version = 0x8000;
	/* names may overlap: those of a real table rarely do */
	uint64_t letters = NAMES_OVERLAP * (uint64_t)table->names_size;
	size_t before = c->len;
	const char *source = "";
	uint32_t file = 0;

	for (size_t i = 0; i < table->len; i++) {
		const Elf64_Sym *s = &table->data[i];
		char *name = elf_symbol_name(table, i);
		size_t n = name ? strnlen(name, NAME_MAX_BYTES) : 0;

		if (n > letters)
			break;
		letters -= n;
		if (n == NAME_MAX_BYTES)
			continue;

		/*
		 * after an STT_FILE without a name come functions the linker made local
		 */
		if (ELF64_ST_TYPE(s->st_info) == STT_FILE) {
			source = name ? name : "";
			file = *source ? (uint32_t)i : 0;
		}
		if (!is_function(s, name, f) ||
		    !code_areas_hold(areas, s->st_value, max_u64(s->st_size, 1)) ||
		    (!s->st_size && is_of_compiler(s, f, source)))
			continue;
		if (!candidates_have_room(c, f))
			break;
		add_symbol(c, s, name,
			   i < table->nversions &&
				   (table->versions[i] & hidden_version));
		c->data[c->len - 1].file = file;
		if (!s->st_size)
			open_candidate(&c->data[c->len - 1], s, f);
	}
	return c->len - before;
}

static int compare_symbols(const struct symbol *x, const struct symbol *y)
{
	int d = compare_u64(x->value, y->value);

	if (!d)
		d = (int)x->rank - (int)y->rank;
	if (!d)
		d = compare_u64(strlen(x->name), strlen(y->name));
	if (!d)
		d = strcmp(x->name, y->name);
	return d ? d : compare_u64(x->size, y->size);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return compare_symbols(&x->symbol, &y->symbol);
}

static bool are_sorted(const struct candidates *c)
{
	for (size_t i = 1; i < c->len; i++)
		if (compare_candidates(&c->data[i - 1], &c->data[i]) > 0)
			return false;
	return true;
}

/* By address; then those at one address among themselves. */
static void sort(struct candidates *c)
{
	struct candidate *sorted = oom_realloc(NULL, c->len * sizeof(*sorted));
	struct sort_key *keys = oom_realloc(NULL, c->len * sizeof(*keys));

	for (size_t i = 0; i < c->len; i++)
		keys[i] = (struct sort_key){c->data[i].symbol.value, i};
	sort_keys(keys, c->len);
	for (size_t i = 0; i < c->len; i++)
		sorted[i] = c->data[keys[i].i];
	for (size_t i = 0, end; i < c->len; i = end) {
		for (end = i + 1; end < c->len && keys[end].key == keys[i].key; end++)
			;
		if (end - i > 1)
			qsort(sorted + i, end - i, sizeof(*sorted), compare_candidates);
	}
	free(keys);
	free(c->data);
	c->data = sorted;
	c->cap = c->len;
}

void candidates_sort(struct candidates *c)
{
	size_t n = 0;

	if (!c->len)
		return;
	if (!are_sorted(c))
		sort(c);
	for (size_t i = 1; i < c->len; i++) {
		const struct symbol *a = &c->data[n].symbol, *b = &c->data[i].symbol;

		if (a->value != b->value || a->size != b->size ||
		    strcmp(a->name, b->name) != 0)
			c->data[++n] = c->data[i];
	}
	c->len = n + 1;
}
