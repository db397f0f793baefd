/* SPDX-License-Identifier: MIT */
/*
 * The variable encodings of unwind tables (Linux Standard Base, "DWARF
 * extensions"). No function reads past the end; what does not fit is false.
 */
#ifndef SYMBOLS_DWARF_ENCODED_H
#define SYMBOLS_DWARF_ENCODED_H

#include "vm/base/base.h"

/* One byte says how a pointer is stored (low half) and from where it counts. */
enum encoded_format {
	ENCODED_ABSPTR = 0x00,
	ENCODED_ULEB128 = 0x01,
	ENCODED_UDATA2 = 0x02,
	ENCODED_UDATA4 = 0x03,
	ENCODED_UDATA8 = 0x04,
	ENCODED_SDATA2 = 0x0a,
	ENCODED_SDATA4 = 0x0b,
	ENCODED_SDATA8 = 0x0c,
	ENCODED_PCREL = 0x10,
	ENCODED_DATAREL = 0x30,
	ENCODED_OMIT = 0xff,
};

/* Bytes yet to be read, and the address of the first. */
struct encoded {
	const uint8_t *p, *end;
	uint64_t vaddr;
	uint64_t data_base; /* of ENCODED_DATAREL */
};

void encoded_skip(struct encoded *c, uint64_t n);
bool encoded_uleb(struct encoded *c, uint64_t *out);
bool encoded_sleb(struct encoded *c, int64_t *out);
/* The stored value, sign-extended where the format is signed. */
bool encoded_value(struct encoded *c, uint8_t format, uint64_t *out);
/* The address it means. */
bool encoded_address(struct encoded *c, uint8_t format, uint64_t *out);

#endif
