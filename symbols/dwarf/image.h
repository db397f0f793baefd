/* SPDX-License-Identifier: MIT */
/*
 * ELF files that are made in memory, for libdw: it reads sections of files only.
 */
#ifndef SYMBOLS_DWARF_IMAGE_H
#define SYMBOLS_DWARF_IMAGE_H

#include "vm/base/host/strbuf.h"

struct image_section {
	const char *name;
	const void *data;
	uint64_t size;
};

/*
 * Makes *out, which is empty, an object file of these sections for e_machine. Those of
 * one name that follow one another become one.
 */
void image_make(uint16_t machine, const struct image_section *s, size_t n,
		struct strbuf *out);

#endif
