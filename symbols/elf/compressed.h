/* SPDX-License-Identifier: MIT */
/*
 * Sections that are compressed, in each of the two ways: with SHF_COMPRESSED and a header
 * that ELF defines, or as .zdebug_NAME with GNU's older one.
 */
#ifndef SYMBOLS_ELF_COMPRESSED_H
#define SYMBOLS_ELF_COMPRESSED_H

#include "symbols/elf/elf.h"

struct compressed {
	enum {
		COMPRESSED_NOT,
		COMPRESSED_ZLIB,
		COMPRESSED_ZSTD,
		COMPRESSED_OTHER,
		COMPRESSED_DAMAGED, /* it is too short for a header */
	} how;
	uint64_t size;	 /* expanded, as the section claims */
	uint64_t header; /* bytes before the compressed ones */
};

/* What the header of the section says. */
struct compressed compressed_header(const struct elf_file *f, const Elf64_Shdr *s);

/*
 * The content of the section, expanded if it is compressed, to free(), and its size. NULL
 * if it is damaged or the budget of f has no room for it. No more memory is taken than
 * the budget gave.
 */
void *compressed_read(const struct elf_file *f, const Elf64_Shdr *s, uint64_t *size);

#endif
