/* SPDX-License-Identifier: MIT */
/*
 * Objects of CPython 3.11 in the memory of a target, which may have put anything there:
 * every table and text has a limit, and so has the number of reads.
 */
#ifndef TRACER_KEEPER_PYTHON_OBJECTS_H
#define TRACER_KEEPER_PYTHON_OBJECTS_H

#include "vm/base/base.h"

#define PYTHON_PAGE  4096u
#define PYTHON_PAGES 16u

/* The reads of one stack, and the text that is made. */
struct python {
	int mem;       /* of mem_open() */
	unsigned cost; /* of all reads so far, which is limited */
	/* Pages read: frames lie side by side, and so do the objects of a module. */
	struct python_page {
		uint64_t at;	/* 0: none */
		uint32_t nread; /* bytes of it that can be read */
		unsigned char bytes[PYTHON_PAGE];
	} pages[PYTHON_PAGES];
	char *buf;	 /* of cap bytes; the caller terminates it */
	size_t cap, len; /* len stays below cap */
};

/* Begins a stack. */
void python_begin(struct python *p, int mem);
/* False: unreadable, or there have been too many reads. */
bool python_load(struct python *p, uint64_t at, void *to, size_t n);
/* The word at an address; 0: unreadable. */
uint64_t python_word(struct python *p, uint64_t at);

/* What is used of a code object: addresses, and the line at which it begins. */
struct python_code {
	uint64_t at, file, name, lines;
	int32_t first_line;
};

/* False: unreadable; then only out->at is set. */
bool python_load_code(struct python *p, uint64_t at, struct python_code *out);

/* Appends a byte, if there is room. */
void python_put(struct python *p, char c);
/*
 * Append the text of a str object as UTF-8, in whole characters, as far as there is room;
 * "?" if it is none, and for each of its characters that would control a terminal. Of a
 * file the directories are left out. No name has more than PYTHON_NAME_MAX bytes.
 */
#define PYTHON_NAME_MAX (128 * 4)
void python_put_name(struct python *p, uint64_t at);
void python_put_file(struct python *p, uint64_t at);

/* The line of the instruction at an address in the code; 0: it has none. */
uint64_t python_line(struct python *p, const struct python_code *code, uint64_t at);

#endif
