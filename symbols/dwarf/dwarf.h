/* SPDX-License-Identifier: MIT */
/*
 * DWARF: the debugging entries that describe types, functions and variables.
 */
#ifndef SYMBOLS_DWARF_DWARF_H
#define SYMBOLS_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/base/host/err.h"

struct elf_file;

/* The debugging entries of one file, and of the one it shares some with. */
struct dwarf_file;

enum entry_tag {
	ENTRY_OTHER, /* of no interest */
	ENTRY_BASE,
	ENTRY_UNSPECIFIED,
	ENTRY_POINTER, /* references too */
	ENTRY_MEMBER_POINTER,
	ENTRY_ARRAY,
	ENTRY_SUBRANGE, /* a dimension of an array */
	ENTRY_TYPEDEF,
	ENTRY_CONST,
	ENTRY_VOLATILE,
	ENTRY_RESTRICT,
	ENTRY_QUALIFIER, /* one that D has no word for */
	ENTRY_STRUCT,	 /* classes too */
	ENTRY_UNION,
	ENTRY_ENUM,
	ENTRY_ENUMERATOR,
	ENTRY_MEMBER,
	ENTRY_BASECLASS,
	ENTRY_SUBROUTINE, /* a function's type */
	ENTRY_FUNCTION,
	ENTRY_INLINED, /* a copy of one; origin tells which */
	ENTRY_PARAMETER,
	ENTRY_VARIADIC,
	ENTRY_VARIABLE,
	ENTRY_NAMESPACE,
};

enum entry_encoding {
	ENCODING_OTHER,
	ENCODING_SIGNED,
	ENCODING_UNSIGNED,
	ENCODING_FLOAT,
	ENCODING_COMPLEX, /* of floating-point numbers */
};

/* Where an entry says that something is. */
enum entry_location {
	LOCATION_NONE,
	LOCATION_ADDRESS, /* in the file's numbering */
	LOCATION_THREAD,  /* one for each thread */
	LOCATION_OTHER,	  /* in registers, computed, or several */
};

/*
 * What one debugging entry says. Refs name entries of the same struct
 * dwarf_file; 0 is none. Nothing is checked against anything else: chains of
 * refs may go round in circles.
 */
struct entry {
	enum entry_tag tag;
	uint64_t ref;
	const char *name;      /* owned by the file; NULL: none */
	const char *link_name; /* mangled; likewise */
	uint64_t type;
	uint64_t origin; /* the entry that has what is missing here */
	enum entry_encoding encoding;
	uint64_t size;
	uint64_t count;	   /* ENTRY_SUBRANGE; 0: open */
	uint64_t line;	   /* of its declaration */
	uint64_t offset;   /* of a member, bytes */
	uint64_t bit;	   /* of a bit-field, from the start of the struct */
	uint32_t nbits;	   /* 0: no bit-field */
	uint32_t high_bit; /* the old way to say bit: from the unit's top */
	int64_t value;
	uint64_t address; /* LOCATION_ADDRESS; of a function its first instruction */
	enum entry_location location;
	bool has_offset, has_bit, has_high_bit;
	bool is_declaration;
	bool has_code;
	bool is_vector;	      /* an array in a vector register */
	bool is_by_signature; /* origin, in a type unit, says it all */
	/* Of a class: how its values are passed, where that is said. */
	bool is_by_reference, is_by_value;
};

/*
 * Reads the entries of f; shared is the file that f's .gnu_debugaltlink names,
 * or NULL. Both may be released afterwards. NOENT when f has no entries,
 * UNSUP, BADFMT.
 */
int dwarf_open(const struct elf_file *f, const struct elf_file *shared,
	       struct dwarf_file **out, struct err *e);
void dwarf_close(struct dwarf_file *d);

/* What the entry says; false when there is none. */
bool dwarf_entry(struct dwarf_file *d, uint64_t ref, struct entry *out);
/* Calls visit() for each child until it returns false. */
void dwarf_children(struct dwarf_file *d, uint64_t ref,
		    bool (*visit)(void *ctx, const struct entry *e), void *ctx);
/*
 * Calls visit() for each entry outside of functions and types. Returns the
 * number of units whose entries are in files of their own (split DWARF).
 */
size_t dwarf_scan(struct dwarf_file *d,
		  void (*visit)(void *ctx, const struct entry *e, bool is_in_namespace),
		  void *ctx);
/*
 * Calls visit() for each function and each copy of one in another, which comes after
 * it. False when there was more than could be read in about a second.
 */
bool dwarf_walk(struct dwarf_file *d, void (*visit)(void *ctx, const struct entry *e),
		void *ctx);

#endif
