/* SPDX-License-Identifier: MIT */
/*
 * struct module_types: open debug data and the index of its names.
 */
#ifndef SYMBOLS_TYPES_INTERNAL_H
#define SYMBOLS_TYPES_INTERNAL_H

#include "symbols/dwarf/dwarf.h"
#include "symbols/elf/elf.h"
#include "symbols/types.h"
#include "vm/base/host/map.h"

#define TYPES_CHAIN_MAX 64 /* length of a chain of typedefs or origins */

/* Of entries with one name the highest rank wins; of equal ones the first. */
enum types_rank {
	RANK_DECLARED = 1,
	RANK_IN_NAMESPACE,
	RANK_DEFINED,
};

struct module_types {
	struct dwarf_file *dwarf;
	uint64_t fetch_ns; /* module_types_fetch_ns() */
	bool is_scanned;
	struct strmap
		names; /* a letter for the kind, then the name -> 1 + index in named */
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
	} inlines; /* abstract descriptions: functions that may have inlined copies */
	struct {
		struct types_copy {
			uint64_t ref, origin,
				function; /* its own, of what, and in which */
		} * data;		  /* grouped by function */
		size_t len, cap;
	} copies;
	struct {
		struct types_call {
			uint64_t ref, called; /* its own, and of what it calls */
		} * data;
		size_t len, cap;
	} calls; /* types_calls() */
	bool has_calls;
	enum {
		COPIES_UNREAD,
		COPIES_ALL,
		COPIES_SOME, /* the limit of dwarf_walk() was reached */
	} copies_read;
};

/*
 * Opens the debug data of one file; the errors of dwarf_open(). tid is a thread of the
 * process in whose root a shared file (.gnu_debugaltlink) is searched; 0: in our own.
 * path is the program's there.
 */
int types_open(const struct elf_file *f, int tid, const char *path,
	       struct module_types **out, struct err *e);
/* By address, for qsort(3) and bsearch(3). */
int types_compare_functions(const void *a, const void *b);
/* Makes the index, once. */
void types_need_index(struct module_types *mt);
/* Adds names and type from the origins of the entry if it has none itself. */
void types_inherit(const struct module_types *mt, struct entry *e);
/* Stores the refs of at most max calls of the function, and returns how many. */
size_t types_calls(struct module_types *mt, uint64_t function, uint64_t *out,
		   size_t max);

#endif
