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

struct module_types {
	struct dwarf_file *dwarf;
	uint64_t fetch_ns; /* module_types_fetch_ns() */
	bool is_scanned;
	struct {
		struct types_named {
			uint64_t ref;
			const char *name;
			/* Of its namespaces, equal if they have the same names; 0:
			 * it is in none. Of a base type its size and encoding. */
#define TYPES_ORIGINS_SPACE UINT32_MAX /* where the entry that it completes is */
			uint32_t space;
			char letter; /* of its kind, types_letter() */
			bool is_base, is_declaration;
			bool is_shared; /* another of that space is the same one */
		} * data;
		size_t len, cap;
	} named;
	struct index by_name;	/* of named */
	struct strmap spaces;	/* "ns::inner::" -> number */
	struct map definitions; /* of declarations that were asked for: ref -> ref */
	struct map same; /* refs of types that were found to be one -> the first */
	size_t compared; /* entries, to find that out */
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
/* The letter of the kinds that have names in the index; 0: not of these. */
char types_letter(enum entry_tag tag);
/*
 * Calls visit() for the entries of that name, the last of the file first, until it
 * returns false.
 */
void types_each_named(struct module_types *mt, char letter, const char *name,
		      bool (*visit)(void *ctx, const struct types_named *n), void *ctx);
/* Whether a path ends with these folders and this name. */
bool types_is_path_end(const char *path, const char *end);
/* The function that holds the value, or the last one before it; 0: none. */
uint64_t types_function_at(const struct module_types *mt, uint64_t value);
/* A function, and the entries of its parameters, in the order of the source. */
struct types_listed {
	uint64_t ref;
	struct entry entry;
	struct dwarf_unit unit;
	struct target_function f;	  /* names and types only */
	uint64_t refs[TARGET_PARAMS_MAX]; /* 0: its own entry lacks the parameter */
};
/* Lists the function that begins at value; false: none is described. */
bool types_list_function(struct module_types *mt, uint64_t value,
			 struct types_listed *out);
/*
 * Where a parameter (a ref) of the function that begins at the spot is there: as
 * module_types_parameter(). False: it is none of it.
 */
bool types_passed(struct module_types *mt, const struct target_spot *spot,
		  uint64_t parameter, struct where *out);
/*
 * Whether a parameter (a ref), which where says is in the frame, has not been stored
 * there yet at the spot: the function, a ref, is still making its frame.
 */
bool types_is_unstored(struct module_types *mt, const struct target_spot *spot,
		       uint64_t function, uint64_t parameter,
		       const struct where *where);
/* Makes the index, once. */
void types_need_index(struct module_types *mt);
/* Adds names and type from the origins of the entry if it has none itself. */
void types_inherit(const struct module_types *mt, struct entry *e);
/* Stores the refs of at most max calls of the function, and returns how many. */
size_t types_calls(struct module_types *mt, uint64_t function, uint64_t *out,
		   size_t max);

#endif
