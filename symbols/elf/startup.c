/* SPDX-License-Identifier: MIT */
/*
 * These functions are static and usually have no name in the file. But exported
 * functions load their addresses:
 *
 *	__libc_start_main(main, ...)	loads the address of stage2, jumps there
 *	pthread_create()	loads the address of start, calls __clone
 */
#include "symbols/elf/startup.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/elf/machine.h"

#define FUNCTION_MAX 4096 /* bytes of an exported function that are searched */
#define RANGE_MAX    256  /* bytes of a function whose size is not known */

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

/* The end of the function at lo: its size, the next symbol, or RANGE_MAX bytes. */
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

static void add(void *ctx, uint64_t lo)
{
	struct search *s = ctx;

	if (s->n < STARTUP_MAX && elf_code_at(s->file, lo) &&
	    lo < UINT64_MAX - RANGE_MAX)
		s->out[s->n++] = (struct elf_range){lo, end_of(s, lo)};
}

static void look_into(struct search *s, const Elf64_Sym *function)
{
	uint64_t n = min_u64(function->st_size, FUNCTION_MAX), offset;
	uint8_t *bytes = NULL;

	if (elf_offset(s->file, function->st_value, n, &offset))
		bytes = elf_read(s->file, offset, n);
	if (bytes)
		machine_find_loaded_addresses(bytes, n, function->st_value, add, s);
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
