/* SPDX-License-Identifier: MIT */
/*
 * PT_DYNAMIC, which the loader uses. It is present even if the section table has been
 * removed.
 */
#include "symbols/elf/elf.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/elf/machine.h"

/* Far above the size of any real one. */
#define DYNAMIC_MAX (1 << 16)

struct dynamic {
	Elf64_Dyn *data;
	size_t len;
};

static void read_dynamic(const struct elf_file *f, struct dynamic *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type != PT_DYNAMIC || p->p_filesz > DYNAMIC_MAX)
			continue;
		out->data = elf_read(f, p->p_offset, p->p_filesz);
		if (out->data)
			out->len = (size_t)p->p_filesz / sizeof(Elf64_Dyn);
		return;
	}
}

static bool dynamic_get(const struct dynamic *d, int64_t tag, uint64_t *value)
{
	for (size_t i = 0; i < d->len && d->data[i].d_tag != DT_NULL; i++) {
		if (d->data[i].d_tag != tag)
			continue;
		*value = d->data[i].d_un.d_val;
		return true;
	}
	return false;
}

bool elf_dynamic_get(const struct elf_file *f, int64_t tag, uint64_t *value)
{
	struct dynamic d;
	bool is_found;

	read_dynamic(f, &d);
	is_found = dynamic_get(&d, tag, value);
	free(d.data);
	return is_found;
}

void elf_relocate(const struct elf_file *f, uint64_t vaddr, uint8_t *bytes, uint64_t n)
{
	uint64_t at, size, offset;
	Elf64_Rela *r;

	if (!elf_dynamic_get(f, DT_RELA, &at) ||
	    !elf_dynamic_get(f, DT_RELASZ, &size) || !elf_offset(f, at, size, &offset))
		return;
	r = elf_read(f, offset, size);
	for (size_t i = 0; r && i < size / sizeof(*r); i++) {
		uint64_t to = r[i].r_offset - vaddr;

		if (machine_relocation(&r[i]) == RELOCATION_RELATIVE &&
		    r[i].r_offset >= vaddr && to < n && n - to >= 8)
			memcpy(bytes + to, &r[i].r_addend, 8);
	}
	free(r);
}

static char *read_names(const struct elf_file *f, const struct dynamic *d, size_t *size)
{
	uint64_t at, n, offset;

	if (!dynamic_get(d, DT_STRTAB, &at) || !dynamic_get(d, DT_STRSZ, &n) ||
	    !elf_offset(f, at, n, &offset))
		return NULL;
	*size = (size_t)n;
	return elf_read(f, offset, n);
}

/* Reads only the name: modules_read() calls this for every object. */
char *elf_soname(const struct elf_file *f)
{
	struct dynamic d;
	uint64_t at, size, name, offset;
	char *text = NULL;

	read_dynamic(f, &d);
	if (dynamic_get(&d, DT_SONAME, &name) && dynamic_get(&d, DT_STRTAB, &at) &&
	    dynamic_get(&d, DT_STRSZ, &size) && name < size &&
	    elf_offset(f, at, size, &offset))
		text = elf_read(f, offset + name, min_u64(size - name, 255));
	free(d.data);
	if (text && !text[0]) {
		free(text);
		text = NULL;
	}
	return text;
}

static bool read_word(const struct elf_file *f, uint64_t vaddr, uint32_t *out)
{
	uint64_t offset;
	uint32_t *p;

	if (!elf_offset(f, vaddr, sizeof(*out), &offset))
		return false;
	p = elf_read(f, offset, sizeof(*out));
	if (p)
		*out = *p;
	free(p);
	return p != NULL;
}

/* The words from vaddr to the end of its segment, to free(). */
static uint32_t *read_words(const struct elf_file *f, uint64_t vaddr, size_t *len)
{
	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];
		uint64_t at = vaddr - p->p_vaddr, offset;

		if (p->p_type != PT_LOAD || vaddr < p->p_vaddr || at >= p->p_filesz ||
		    !elf_offset(f, vaddr, p->p_filesz - at, &offset))
			continue;
		*len = (size_t)(p->p_filesz - at) / sizeof(uint32_t);
		return elf_read(f, offset, p->p_filesz - at);
	}
	return NULL;
}

/*
 * DT_GNU_HASH: four words (number of buckets, first hashed symbol, number of bloom
 * words, shift), then bloom words of 8 bytes, buckets, chains. The last symbol ends the
 * chain of the bucket with the highest number: its lowest bit is set.
 */
static uint64_t count_gnu_hash(const uint32_t *w, size_t len)
{
	uint64_t chains, last = 0, first;

	if (len < 4)
		return 0;
	first = w[1];
	chains = 4 + (uint64_t)w[2] * 2 + w[0];
	if (chains > len)
		return 0;
	for (uint64_t i = chains - w[0]; i < chains; i++)
		last = max_u64(last, w[i]);
	if (last < first)
		return first;
	for (; chains + (last - first) < len; last++) {
		if (w[chains + (last - first)] & 1)
			return last + 1;
	}
	return 0;
}

static uint64_t count_symbols(const struct elf_file *f, const struct dynamic *d)
{
	uint64_t at, n = 0;
	uint32_t word, *words;
	size_t len;

	/* DT_HASH begins with nbucket, nchain; nchain is the number of symbols */
	if (dynamic_get(d, DT_HASH, &at) && read_word(f, at + 4, &word))
		return word;
	if (!dynamic_get(d, DT_GNU_HASH, &at))
		return 0;
	words = read_words(f, at, &len);
	if (words)
		n = count_gnu_hash(words, len);
	free(words);
	return n;
}

void elf_dynamic_symbols(const struct elf_file *f, struct elf_symbols *out)
{
	struct dynamic d;
	uint64_t at, n, offset;

	read_dynamic(f, &d);
	n = count_symbols(f, &d);
	if (n && dynamic_get(&d, DT_SYMTAB, &at) &&
	    elf_offset(f, at, n * sizeof(Elf64_Sym), &offset)) {
		out->data = elf_read(f, offset, n * sizeof(Elf64_Sym));
		out->names = read_names(f, &d, &out->names_size);
	}
	if (out->data && out->names)
		out->len = (size_t)n;
	else
		elf_symbols_release(out);
	/* .gnu.version has one entry for each symbol */
	if (out->len && dynamic_get(&d, DT_VERSYM, &at) &&
	    elf_offset(f, at, n * sizeof(uint16_t), &offset))
		out->versions = elf_read(f, offset, n * sizeof(uint16_t));
	out->nversions = out->versions ? out->len : 0;
	free(d.data);
}
