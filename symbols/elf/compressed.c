/* SPDX-License-Identifier: MIT */
#include "symbols/elf/compressed.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "vm/base/host/log.h"

#define GNU_HEADER 12 /* "ZLIB", then the expanded size, big-endian */

/* elf.h of glibc has it since 2.36 */
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

static struct compressed read_elf_header(const uint8_t *p, uint64_t n)
{
	struct compressed c = {.how = COMPRESSED_OTHER, .header = sizeof(Elf64_Chdr)};
	Elf64_Chdr h;

	if (n < sizeof(h))
		return (struct compressed){.how = COMPRESSED_DAMAGED};
	memcpy(&h, p, sizeof(h));
	c.size = h.ch_size;
	if (h.ch_type == ELFCOMPRESS_ZLIB)
		c.how = COMPRESSED_ZLIB;
	else if (h.ch_type == ELFCOMPRESS_ZSTD)
		c.how = COMPRESSED_ZSTD;
	return c;
}

struct compressed compressed_header(const struct elf_file *f, const Elf64_Shdr *s)
{
	uint64_t n = min_u64(s->sh_size, sizeof(Elf64_Chdr));
	uint8_t *p = elf_read(f, s->sh_offset, n);
	struct compressed c = {.how = COMPRESSED_NOT};

	if (s->sh_flags & SHF_COMPRESSED) {
		c = read_elf_header(p, p ? n : 0);
	} else if (p && n >= GNU_HEADER && memcmp(p, "ZLIB", 4) == 0) {
		c = (struct compressed){COMPRESSED_ZLIB, 0, GNU_HEADER};
		for (int i = 4; i < GNU_HEADER; i++)
			c.size = c.size << 8 | p[i];
	}
	free(p);
	return c;
}

/* False unless it expands to just as much as the header claims. */
static bool expand(const struct compressed *c, const uint8_t *from, uint64_t n,
		   uint8_t *to)
{
	uLongf size = c->size;

	if (c->how == COMPRESSED_ZSTD)
		return ZSTD_decompress(to, c->size, from, n) == c->size;
	return c->how == COMPRESSED_ZLIB && uncompress(to, &size, from, n) == Z_OK &&
	       size == c->size;
}

/* The budget has room for c->size bytes. */
static uint8_t *expanded(const struct compressed *c, const uint8_t *packed, uint64_t n)
{
	uint8_t *out = c->size < SIZE_MAX ? malloc(c->size + 1) : NULL;

	if (out && !expand(c, packed + c->header, n - c->header, out)) {
		free(out);
		out = NULL;
	}
	return out;
}

void *compressed_read(const struct elf_file *f, const Elf64_Shdr *s, uint64_t *size)
{
	struct compressed c = compressed_header(f, s);
	const char *name = elf_section_name(f, s);
	uint8_t *packed = elf_read(f, s->sh_offset, s->sh_size), *out = NULL;

	*size = packed ? s->sh_size : 0;
	if (c.how == COMPRESSED_NOT || !packed)
		return packed;
	if (c.how == COMPRESSED_ZLIB || c.how == COMPRESSED_ZSTD)
		out = budget_take(f->budget, c.size, name)
			      ? expanded(&c, packed, s->sh_size)
			      : NULL;
	if (!out)
		log_debug("symbols", "'%s': %s cannot be expanded", f->budget->path,
			  name);
	*size = out ? c.size : 0;
	free(packed);
	return out;
}
