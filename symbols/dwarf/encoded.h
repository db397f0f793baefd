/* SPDX-License-Identifier: MIT */
/*
 * The encodings of numbers and addresses in unwind tables (Linux Standard Base, "DWARF
 * Extensions"). The functions move c on and never read past its end: they return false
 * if the value is cut short, and *out is undefined then.
 */
#ifndef SYMBOLS_DWARF_ENCODED_H
#define SYMBOLS_DWARF_ENCODED_H

#include "vm/base/base.h"

/* A byte: the low half says how a value is stored, the high half what it counts from. */
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

/* A cursor: the bytes from p to end, and the address of the first. */
struct encoded {
	const uint8_t *p, *end;
	uint64_t vaddr;
	uint64_t data_base; /* for ENCODED_DATAREL; 0: none */
};

/* Moves c on by n bytes, at most to its end. */
void encoded_skip(struct encoded *c, uint64_t n);
/* ULEB128 and SLEB128; bits above 64 are ignored. */
bool encoded_uleb(struct encoded *c, uint64_t *out);
bool encoded_sleb(struct encoded *c, int64_t *out);
/* The stored value, sign-extended where the format is signed. */
bool encoded_value(struct encoded *c, uint8_t format, uint64_t *out);
/* The address that the stored value means. False also for indirect and OMIT. */
bool encoded_address(struct encoded *c, uint8_t format, uint64_t *out);

#endif
