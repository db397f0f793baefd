/* SPDX-License-Identifier: MIT */
/*
 * One item of a format, as format.h parses it and those that print a value see it.
 */
#ifndef TRACER_OUTPUT_FORMAT_ITEM_H
#define TRACER_OUTPUT_FORMAT_ITEM_H

#include "vm/base/base.h"

enum format_flag {
	FORMAT_LEFT = 1,   /* - */
	FORMAT_PLUS = 2,   /* + */
	FORMAT_SPACE = 4,  /* blank */
	FORMAT_ALT = 8,	   /* # */
	FORMAT_ZERO = 16,  /* 0 */
	FORMAT_GROUP = 32, /* ' */
	FORMAT_VALUE = 64, /* @: the aggregation's value, not a key */
	FORMAT_WIDE = 128, /* l or w before the letter */
};

/* Literal text (letter 0) or one conversion. */
struct format_item {
	char letter;
	uint8_t flags;
	bool has_width_arg, has_precision_arg; /* * */
	bool is_plain; /* %d, %i, %u, %x or %s, and nothing else is asked for */
	uint32_t width, precision; /* 0: none */
	const char *text;	   /* literal, in format.text */
	size_t len;
};

#endif
