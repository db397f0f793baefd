/* SPDX-License-Identifier: MIT */
/*
 * The seam to the processor: what differs between the ELF files of different machines.
 * A port adds a file like machine_x86_64.c.
 */
#ifndef SYMBOLS_ELF_MACHINE_H
#define SYMBOLS_ELF_MACHINE_H

#include <elf.h>

#include "vm/base/base.h"

/* For messages: "'libc.so' is not a 64-bit MACHINE object". */
extern const char machine_name[];

/* Whether the file has the class, byte order and machine that dtrace traces. */
bool machine_is_native(const Elf64_Ehdr *h);

/* What the loader stores at the place that a relocation names. */
enum relocation {
	RELOCATION_OTHER,
	RELOCATION_RELATIVE, /* bias + addend */
	RELOCATION_IFUNC,    /* what the resolver at bias + addend returns */
	RELOCATION_SYMBOL,   /* address of the symbol + addend */
	RELOCATION_COPY,     /* a copy of another object's variable */
};
enum relocation machine_relocation(const Elf64_Rela *r);

#define MACHINE_PLT_BYTES 8
/* Whether code that begins so is an entry of a procedure linkage table. */
bool machine_is_plt_entry(const uint8_t code[MACHINE_PLT_BYTES]);

/*
 * Searches n bytes of code, which are at address at, for near jumps, conditional or not
 * (but not calls), and calls found() with the address of each jump and its target. The
 * bytes are searched, not decoded, so data and the middles of instructions give false
 * results: the caller must count and trust the majority.
 */
#define MACHINE_JUMP_MAX 6 /* bytes of a jump: none that is cut off is found */
void machine_find_jumps(const uint8_t *code, size_t n, uint64_t at,
			void (*found)(void *ctx, uint64_t from, uint64_t to),
			void *ctx);
/*
 * The same for instructions that load an address relative to the pc: calls found() with
 * each such address.
 */
void machine_find_loaded_addresses(const uint8_t *code, size_t n, uint64_t at,
				   void (*found)(void *ctx, uint64_t address),
				   void *ctx);

#endif
