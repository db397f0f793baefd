/* SPDX-License-Identifier: MIT */
/*
 * The functions in question are static and mostly without a name in the file. But those
 * that are exported hand their addresses on:
 *
 *	__libc_start_main(main, ...)	lea stage2(%rip), %rax ... jmp *%rax
 *	pthread_create()		lea start(%rip), ... call __clone
 */
#include "symbols/elf/startup.h"

#include <stdlib.h>
#include <string.h>

#include "vm/base/bytes.h"

#define LEA_BYTES    7	  /* lea disp32(%rip), %r64 */
#define FUNCTION_MAX 4096 /* bytes of an exported one that are looked at */
#define RANGE_MAX    256  /* bytes of a function whose end is not known */

struct search {
	const struct elf_file *file;
	struct elf_symbols tables[2];
	struct elf_range *out;
	size_t n;
};

static bool is_function(const Elf64_Sym *s)
{
	return s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC;
}

static const Elf64_Sym *find_function(const struct search *s, const char *name)
{
	for (size_t t = 0; t < ARRAY_LEN(s->tables); t++) {
		for (size_t i = 0; i < s->tables[t].len; i++) {
			const char *is = elf_symbol_name(&s->tables[t], i);

			if (is && strcmp(is, name) == 0 &&
			    is_function(&s->tables[t].data[i]))
				return &s->tables[t].data[i];
		}
	}
	return NULL;
}

/* The function that begins at lo ends where the next symbol says so, or soon. */
static uint64_t end_of(const struct search *s, uint64_t lo)
{
	uint64_t hi = lo + RANGE_MAX;

	for (size_t t = 0; t < ARRAY_LEN(s->tables); t++) {
		for (size_t i = 0; i < s->tables[t].len; i++) {
			const Elf64_Sym *at = &s->tables[t].data[i];

			if (!is_function(at) || at->st_value < lo)
				continue;
			if (at->st_value > lo)
				hi = min_u64(hi, at->st_value);
			else if (at->st_size && at->st_size < RANGE_MAX)
				hi = min_u64(hi, lo + at->st_size);
		}
	}
	return hi;
}

static bool is_code(const struct elf_file *f, uint64_t value)
{
	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && value >= p->p_vaddr &&
		    value - p->p_vaddr < p->p_filesz)
			return true;
	}
	return false;
}

static void add(struct search *s, uint64_t lo)
{
	if (s->n < STARTUP_MAX && is_code(s->file, lo) && lo < UINT64_MAX - RANGE_MAX)
		s->out[s->n++] = (struct elf_range){lo, end_of(s, lo)};
}

/* Functions whose address the code takes: REX.W 8d /r, mod 0, rm 5. */
static void add_taken(struct search *s, const uint8_t *bytes, size_t n, uint64_t at)
{
	for (size_t i = 0; i + LEA_BYTES <= n; i++) {
		if ((bytes[i] & 0xf8) == 0x48 && bytes[i + 1] == 0x8d &&
		    (bytes[i + 2] & 0xc7) == 0x05)
			add(s, at + i + LEA_BYTES +
				       (uint64_t)(int32_t)bytes_load(bytes + i + 3, 4));
	}
}

static void look_into(struct search *s, const Elf64_Sym *function)
{
	uint64_t n = min_u64(function->st_size, FUNCTION_MAX), offset;
	uint8_t *bytes = NULL;

	if (elf_offset(s->file, function->st_value, n, &offset))
		bytes = elf_read(s->file, offset, n);
	if (bytes)
		add_taken(s, bytes, n, function->st_value);
	free(bytes);
}

size_t startup_find(const struct elf_file *f, struct elf_range out[STARTUP_MAX])
{
	static const char *const callers[] = {"__libc_start_main", "pthread_create"};
	struct search s = {.file = f, .out = out};
	struct err ignored;

	if (elf_symbols_read(f, SHT_DYNSYM, &s.tables[0], &ignored))
		s.tables[0].len = 0;
	if (elf_symbols_read(f, SHT_SYMTAB, &s.tables[1], &ignored))
		s.tables[1].len = 0;
	for (size_t i = 0; i < ARRAY_LEN(callers); i++) {
		const Elf64_Sym *caller = find_function(&s, callers[i]);

		if (caller)
			look_into(&s, caller);
		if (caller && i == 0)
			add(&s, caller->st_value);
	}
	for (size_t t = 0; t < ARRAY_LEN(s.tables); t++)
		elf_symbols_release(&s.tables[t]);
	return s.n;
}
