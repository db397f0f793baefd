/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of the native machine, read without trust: whatever the functions here
 * return lies inside the file. Sections are read with pread(2), not mapped,
 * so a file that shrinks meanwhile is an error and not a SIGBUS.
 */
#ifndef SYMBOLS_ELF_ELF_H
#define SYMBOLS_ELF_ELF_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"
#include <elf.h>

/* The addresses from lo up to, but not including, hi, in the file's own numbering. */
struct elf_range {
	uint64_t lo, hi;
};

struct elf_file {
	int fd; /* owned; -1 in a zeroed-and-released file */
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr *segments;
	size_t nsegments;
	Elf64_Shdr *sections; /* none when the file has no valid table */
	size_t nsections;
	char *section_names; /* terminated */
	size_t section_names_size;
};

/*
 * Takes fd over, also on failure. BADFMT when it is not ELF or is damaged,
 * UNSUP for another class or machine. what names the file in messages.
 */
int elf_open(struct elf_file *f, int fd, const char *what, struct err *e);
void elf_release(struct elf_file *f);

/* A part of the file and a zero byte after it, to free(); NULL if outside. */
void *elf_read(const struct elf_file *f, uint64_t offset, uint64_t size);
/* The file offset of size bytes at vaddr that a PT_LOAD holds. */
bool elf_offset(const struct elf_file *f, uint64_t vaddr, uint64_t size, uint64_t *out);
/* The section's name; "" when it has none. */
const char *elf_section_name(const struct elf_file *f, const Elf64_Shdr *s);
/* The first section of the type, and of the name unless that is NULL. */
const Elf64_Shdr *elf_section(const struct elf_file *f, uint32_t type,
			      const char *name);
/* Whether vaddr is in a table of jumps to other objects (.plt and its kin). */
bool elf_is_plt(const struct elf_file *f, uint64_t vaddr);

/*
 * What the first note of the owner (at most three letters) and type holds, of at most
 * max bytes; returns its length, 0 if there is none.
 */
size_t elf_note(const struct elf_file *f, const char *owner, uint32_t type,
		uint8_t *out, size_t max);
#define ELF_BUILD_ID_MAX 64
/* The build-id; returns its length, 0 if there is none. */
size_t elf_build_id(const struct elf_file *f, uint8_t out[ELF_BUILD_ID_MAX]);
/* The separate debug file's base name, to free(), and checksum; NULL if none. */
char *elf_debuglink(const struct elf_file *f, uint32_t *crc);
/* The checksum a debuglink is compared with. */
int elf_checksum(const struct elf_file *f, uint32_t *crc);

/* DT_SONAME, to free(), or NULL. */
char *elf_soname(const struct elf_file *f);

/* The value of an entry of PT_DYNAMIC (DT_RELA ...); false if there is none. */
bool elf_dynamic_get(const struct elf_file *f, int64_t tag, uint64_t *value);

/*
 * Stores in n bytes that were read from vaddr the file's own addresses that the loader
 * would store there (RELOCATION_RELATIVE), at bias 0.
 */
void elf_relocate(const struct elf_file *f, uint64_t vaddr, uint8_t *bytes, uint64_t n);

/* One symbol table with its names. */
struct elf_symbols {
	Elf64_Sym *data;
	size_t len;
	char *names; /* terminated */
	size_t names_size;
	uint16_t *versions; /* of the dynamic table, or NULL */
	size_t nversions;
};

/*
 * Reads SHT_SYMTAB or SHT_DYNSYM; without a section table the latter is
 * found through PT_DYNAMIC. A file without the table gives len 0.
 */
int elf_symbols_read(const struct elf_file *f, uint32_t type, struct elf_symbols *out,
		     struct err *e);
void elf_symbols_release(struct elf_symbols *s);
/* Its name, NULL when st_name is outside the table. */
char *elf_symbol_name(const struct elf_symbols *s, size_t i);
/* Whether symbol i has the name, perhaps with a version: name@VERSION. */
bool elf_symbol_is_named(const struct elf_symbols *s, size_t i, const char *name);

/* For elf_symbols_read(): elf_dynamic.c. Leaves out empty if there is none. */
void elf_dynamic_symbols(const struct elf_file *f, struct elf_symbols *out);

#endif
