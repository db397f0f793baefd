/* SPDX-License-Identifier: MIT */
/*
 * The one encoding of a list of values: array keys, aggregation keys and the
 * data of an action. Elements follow each other, each padded to 8 bytes:
 *
 *	KIND_INT	8 bytes: the field's low bytes, then zeros; tuple_next()
 *			extends them as the field's sign says
 *	KIND_STR	uint32_t length, the bytes without terminator, zero padding
 *	KIND_BYTES	uint32_t length, the bytes, zero padding
 *
 * Equal values have equal bytes, so keys compare with bytes_compare().
 */
#ifndef VM_TUPLE_H
#define VM_TUPLE_H

#include "vm/program.h"

struct tuple_value {
	const struct program_field *field;
	uint64_t number;   /* KIND_INT: the full 64 bits, extended */
	const char *bytes; /* others: not terminated, inside the tuple */
	uint32_t len;
};

/*
 * Reads the value of field at *pos of n bytes of data and moves *pos on.
 * STATUS_BADFMT when it does not fit: data may come from a hostile target.
 */
int tuple_next(const void *data, size_t n, size_t *pos,
	       const struct program_field *field, struct tuple_value *out);

#endif
