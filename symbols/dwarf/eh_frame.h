/* SPDX-License-Identifier: MIT */
/*
 * DWARF: code ranges from unwind data, the one table strip(1) leaves.
 */
#ifndef SYMBOLS_DWARF_EH_FRAME_H
#define SYMBOLS_DWARF_EH_FRAME_H

#include "symbols/elf/elf.h"

struct fde {
	struct elf_range code; /* lo < hi */
	uint64_t lsda;	       /* its exception table, or 0 */
	bool is_fragment;      /* a frame is already built at its first instruction */
	bool is_signal;	       /* returns from a signal handler: no function */
};

struct fdes {
	struct fde *data; /* vec */
	size_t len, cap;
};

/* One entry of an unwind table: where it is about, and its instructions. */
struct fde_rules {
	struct elf_range code; /* lo < hi */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;	  /* number of the return address's column */
	uint64_t vaddr;	  /* address of *first, for ENCODED_PCREL */
	uint8_t encoding; /* of addresses in them: encoded.h */
	bool is_signal;
	const uint8_t *common, *common_end; /* of all entries of its kind, run first */
	const uint8_t *first, *end;
};

/*
 * Calls found() for every entry of .eh_frame, or where it has none of
 * .debug_frame, in file order, unchecked against the segments.
 */
void eh_frame_rules(const struct elf_file *f,
		    void (*found)(void *ctx, const struct fde_rules *e), void *ctx);

/*
 * Appends the range of every entry of .eh_frame, in file order, unchecked
 * against the segments. An entry that makes no sense is skipped, a file
 * without .eh_frame adds nothing.
 */
void eh_frame_fdes(const struct elf_file *f, struct fdes *out);

#endif
