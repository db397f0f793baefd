/* SPDX-License-Identifier: MIT */
/*
 * The journal of a firing: what its surroundings have told it, so that the same clauses
 * see the same once more when the firing is replayed from a recording. It is a row of
 * entries, each followed by size bytes, and zeros up to a multiple of 8:
 *
 *	| entry | bytes ... | entry | bytes ... |
 *
 * Where it comes from a target, it may say anything.
 */
#ifndef VM_JOURNAL_H
#define VM_JOURNAL_H

#include "vm/base/base.h"

/* The numbers stand in files. */
enum journal_kind {
	JOURNAL_ARGUMENTS =
		1,	    /* uint64_t each, from arg0 on; key: bit N: argN is known */
	JOURNAL_STACK = 2,  /* uint64_t each: the user stack, innermost first */
	JOURNAL_MEMORY = 3, /* key: the address of the bytes */
	JOURNAL_FAULT = 4,  /* key: an address that could not be read */
	JOURNAL_NUMBER = 5, /* uint64_t; key: enum builtin << 32 | index */
	JOURNAL_TEXT = 6,   /* key: enum builtin */
	JOURNAL_DESCRIPTOR =
		7,	     /* key: descriptor << 32 | enum fdinfo; uint64_t, text */
	JOURNAL_PROGENY = 8, /* key: the process asked for, if the answer was yes */
	JOURNAL_PYTHON = 9,  /* the text of pystack(); key: the number of frames */
	JOURNAL_FULL = 10,   /* there was no room for all; nothing follows */
	JOURNAL_KERNEL = 11, /* as JOURNAL_STACK, of the kernel */
	JOURNAL_DEVICE = 12, /* the name of a disk; key: its number */
};

struct journal_entry {
	uint32_t kind; /* enum journal_kind */
	uint32_t size; /* of the bytes that follow */
	uint64_t key;
};

/*
 * The entry at *at of n bytes, with its bytes at *bytes; moves *at on. False: there is
 * none, or it does not fit.
 */
static inline bool journal_next(const unsigned char *journal, size_t n, size_t *at,
				struct journal_entry *out, const unsigned char **bytes)
{
	size_t left = *at <= n ? n - *at : 0;
	unsigned char *to = (unsigned char *)out;

	if (left < sizeof(*out))
		return false;
	for (size_t i = 0; i < sizeof(*out); i++)
		to[i] = journal[*at + i];
	left -= sizeof(*out);
	if (out->size > left || align_up(out->size, 8) > left)
		return false;
	*bytes = journal + *at + sizeof(*out);
	*at += sizeof(*out) + (size_t)align_up(out->size, 8);
	return true;
}

#endif
