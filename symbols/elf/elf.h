/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of the native machine (machine.h), which is not trusted: all that these
 * functions return lies inside the file. Sections are read with pread(2), not mapped,
 * so a file that shrinks meanwhile causes an error and no SIGBUS. All that is read of
 * one file has a limit (budget.h).
 *
 * vaddr is an address in the file's own numbering (p_vaddr, st_value).
 */
#ifndef SYMBOLS_ELF_ELF_H
#define SYMBOLS_ELF_ELF_H

#include "symbols/elf/budget.h"
#include "vm/base/base.h"
#include "vm/base/host/err.h"
#include <elf.h>

/* The addresses from lo up to, but not including, hi, in the file's own numbering. */
struct elf_range {
	uint64_t lo, hi;
};

struct elf_file {
	int fd; /* owned; -1 after elf_release() */
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr *segments;
	size_t nsegments;
	Elf64_Shdr *sections; /* none if the file has no valid table: it runs without */
	size_t nsections;
	char *section_names; /* terminated */
	size_t section_names_size;
	struct budget *budget;
};

/*
 * Opens the file that fd refers to, and owns fd, also after an error. BADFMT if it is
 * not ELF or is damaged, UNSUP if it is of another class or machine, IO. what names the
 * file in messages.
 */
int elf_open(struct elf_file *f, int fd, const char *what, struct err *e);
/* The same of a file of debug entries that others share: dwz makes it an object file. */
int elf_open_shared(struct elf_file *f, int fd, const char *what, struct err *e);
/* The same without the sections, for the questions that segments answer. */
int elf_open_segments(struct elf_file *f, int fd, const char *what, struct err *e);
void elf_release(struct elf_file *f);

/*
 * size bytes of the file, then a zero byte, to free(). NULL if they are not all in the
 * file, exceed the limit or cannot be read.
 */
void *elf_read(const struct elf_file *f, uint64_t offset, uint64_t size);
/* For bytes that are read by and by: whether they are all there, within the limit. */
bool elf_claim(const struct elf_file *f, uint64_t offset, uint64_t size);
/* Reads size bytes of the file, whatever the limit is. False: not all. */
bool elf_read_at(const struct elf_file *f, void *buf, uint64_t offset, size_t size);
/* The file offset of size bytes at vaddr; false if no PT_LOAD segment has all of them. */
bool elf_offset(const struct elf_file *f, uint64_t vaddr, uint64_t size, uint64_t *out);
/* The executable PT_LOAD segment whose bytes in the file have vaddr, or NULL. */
const Elf64_Phdr *elf_code_at(const struct elf_file *f, uint64_t vaddr);
/* The name of the section, "" if it has none; valid until elf_release(). */
const char *elf_section_name(const struct elf_file *f, const Elf64_Shdr *s);
/* Has a struct rseq_cs for each restartable sequence. */
#define ELF_RSEQ "__rseq_cs"

/* The first section of the type with the name (NULL: any name); NULL if none. */
const Elf64_Shdr *elf_section(const struct elf_file *f, uint32_t type,
			      const char *name);
/* The code of procedure linkage tables (.plt, .plt.sec, .iplt); at most ELF_PLTS_MAX. */
#define ELF_PLTS_MAX 16
size_t elf_plts(const struct elf_file *f, struct elf_range out[ELF_PLTS_MAX]);
/* Whether the code at vaddr, of a file without sections, looks like an entry of one. */
bool elf_is_plt_entry(const struct elf_file *f, uint64_t vaddr);

/*
 * Copies to out the content of the first note of the owner (at most three letters) and
 * type that has 1 to max bytes. Returns its length, 0 if there is none.
 */
size_t elf_note(const struct elf_file *f, const char *owner, uint32_t type,
		uint8_t *out, size_t max);
#define ELF_BUILD_ID_MAX 64
/* The same for the build-id. */
size_t elf_build_id(const struct elf_file *f, uint8_t out[ELF_BUILD_ID_MAX]);
/*
 * What .gnu_debuglink says: the base name of the debug file, to free(), and its
 * checksum. NULL if there is no such section.
 */
char *elf_debuglink(const struct elf_file *f, uint32_t *crc);
/* The CRC-32 of the whole file, as in .gnu_debuglink. NOMEM, IO. */
int elf_checksum(const struct elf_file *f, uint32_t *crc);

/* DT_SONAME, to free(), up to 255 bytes; NULL if there is none. */
char *elf_soname(const struct elf_file *f);

/* The value of the first entry of PT_DYNAMIC with the tag; false if there is none. */
bool elf_dynamic_get(const struct elf_file *f, int64_t tag, uint64_t *value);

/*
 * Applies relocations of kind RELOCATION_RELATIVE, at bias 0, to n bytes that were read
 * from vaddr.
 */
void elf_relocate(const struct elf_file *f, uint64_t vaddr, uint8_t *bytes, uint64_t n);

/* One symbol table with its names. */
struct elf_symbols {
	Elf64_Sym *data;
	size_t len;
	char *names; /* terminated */
	size_t names_size;
	uint16_t *versions; /* .gnu.version, of SHT_DYNSYM only; or NULL */
	size_t nversions;
};

/*
 * Reads the table of type SHT_SYMTAB or SHT_DYNSYM. In a file without sections the
 * latter is found through PT_DYNAMIC. len is 0 if the file has no such table. BADFMT;
 * then *out is empty. The caller releases *out.
 */
int elf_symbols_read(const struct elf_file *f, uint32_t type, struct elf_symbols *out,
		     struct err *e);
void elf_symbols_release(struct elf_symbols *s);
/* The name of symbol i (i < len); NULL if st_name is outside the string table. */
char *elf_symbol_name(const struct elf_symbols *s, size_t i);
/* Whether symbol i exists and has this name, with or without @VERSION. */
bool elf_symbol_is_named(const struct elf_symbols *s, size_t i, const char *name);

/* Part of elf_symbols_read(), in dynamic.c: SHT_DYNSYM through PT_DYNAMIC. */
void elf_dynamic_symbols(const struct elf_file *f, struct elf_symbols *out);

#endif
