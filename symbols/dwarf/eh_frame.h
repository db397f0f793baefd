/* SPDX-License-Identifier: MIT */
/*
 * Frame description entries (FDE) of .eh_frame, the unwind table, which strip(1) keeps.
 * There is one for each function or part of one: its code range, its exception table,
 * and instructions that describe the frame at each address (DWARF 5, 6.4).
 */
#ifndef SYMBOLS_DWARF_EH_FRAME_H
#define SYMBOLS_DWARF_EH_FRAME_H

#include "symbols/elf/elf.h"

struct fde {
	struct elf_range code; /* lo < hi */
	uint64_t lsda;	       /* its exception table, or 0 */
	bool is_fragment;      /* a frame is already built at its first instruction */
	bool is_signal;	       /* returns from a signal handler; not a function */
};

struct fdes {
	struct fde *data; /* vec */
	size_t len, cap;
};

/* The instructions of one FDE. All pointers are valid during the call of found() only. */
struct fde_rules {
	struct elf_range code; /* lo < hi */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;	  /* register number of the return address */
	uint64_t vaddr;	  /* address of *first, for ENCODED_PCREL */
	uint8_t encoding; /* of addresses in the instructions: encoded.h */
	bool is_signal;
	const uint8_t *common, *common_end; /* of its CIE: executed first */
	const uint8_t *first, *end;	    /* of the FDE */
};

/* .debug_frame, which may be compressed, has what compilers leave out of .eh_frame. */
enum frame_table { FRAME_TABLE_EH, FRAME_TABLE_DEBUG };
/*
 * Calls found() for each FDE of the table, in file order; for none if there is no such
 * table. The ranges are not checked against the segments. Invalid entries are skipped.
 */
void eh_frame_rules(const struct elf_file *f, enum frame_table table,
		    void (*found)(void *ctx, const struct fde_rules *e), void *ctx);

/* Appends all FDEs of .eh_frame, in the same way. */
void eh_frame_fdes(const struct elf_file *f, struct fdes *out);

#endif
