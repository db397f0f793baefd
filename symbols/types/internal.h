/* SPDX-License-Identifier: MIT */
/*
 * The private side of struct module_types: the index that one scan makes.
 */
#ifndef SYMBOLS_TYPES_INTERNAL_H
#define SYMBOLS_TYPES_INTERNAL_H

#include "symbols/dwarf/dwarf.h"
#include "symbols/elf/elf.h"
#include "symbols/types.h"
#include "vm/base/host/map.h"

#define TYPES_CHAIN_MAX 64 /* typedefs of typedefs, origins of origins */

/* Of entries with one name the highest wins; of equals the first. */
enum types_rank {
	RANK_DECLARED = 1,
	RANK_IN_NAMESPACE,
	RANK_DEFINED,
};

struct module_types {
	struct dwarf_file *dwarf;
	bool is_scanned;
	bool is_split;
	struct strmap names; /* one letter for the kind, name -> 1 + index in named */
	struct {
		struct types_named {
			uint64_t ref;
			enum types_rank rank;
		} * data;
		size_t len, cap;
	} named;
	struct {
		struct types_function {
			uint64_t address, ref;
		} * data; /* sorted once scanned */
		size_t len, cap;
	} functions;
	struct {
		uint64_t *data; /* refs */
		size_t len, cap;
	} inlines; /* functions that may have copies in others */
	struct {
		struct types_copy {
			uint64_t origin, function; /* refs: of what, and in which */
		} * data;			   /* function after function */
		size_t len, cap;
	} copies;
	enum {
		COPIES_UNREAD,
		COPIES_ALL,
		COPIES_SOME, /* there was too much to read */
	} copies_read;
};

/*
 * module_types_open() of a file that has debugging entries. tid is a thread of the
 * process in whose root a file shared with others is looked for; 0: in our own root.
 */
int types_open(const struct elf_file *f, int tid, struct module_types **out,
	       struct err *e);
/* By address, for qsort(3) and bsearch(3). */
int types_compare_functions(const void *a, const void *b);
/* Makes the index unless it was made. */
void types_need_index(struct module_types *mt);
/* Adds what the entry leaves to its declaration, or to what it is an instance of. */
void types_inherit(const struct module_types *mt, struct entry *e);

#endif
