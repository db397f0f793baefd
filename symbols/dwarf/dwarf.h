/* SPDX-License-Identifier: MIT */
/*
 * DWARF debug entries (DIE): the descriptions of types, functions and variables, as far
 * as dtrace uses them. Users of this header do not see libdw.
 */
#ifndef SYMBOLS_DWARF_DWARF_H
#define SYMBOLS_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/base/host/err.h"
#include "vm/base/where.h"

struct elf_file;
struct strbuf;

/* The debug entries of one file, and of the file that it shares entries with. */
struct dwarf_file;

enum entry_tag {
	ENTRY_OTHER, /* not used */
	ENTRY_BASE,
	ENTRY_UNSPECIFIED,
	ENTRY_POINTER, /* or a C++ reference */
	ENTRY_MEMBER_POINTER,
	ENTRY_ARRAY,
	ENTRY_SUBRANGE, /* a dimension of an array */
	ENTRY_TYPEDEF,
	ENTRY_CONST,
	ENTRY_VOLATILE,
	ENTRY_RESTRICT,
	ENTRY_QUALIFIER, /* one that D lacks */
	ENTRY_STRUCT,	 /* or a class */
	ENTRY_UNION,
	ENTRY_ENUM,
	ENTRY_ENUMERATOR,
	ENTRY_MEMBER,
	ENTRY_BASECLASS,
	ENTRY_SUBROUTINE, /* a function's type */
	ENTRY_FUNCTION,
	ENTRY_INLINED, /* an inlined copy; origin is the function */
	ENTRY_PARAMETER,
	ENTRY_VARIADIC,
	ENTRY_VARIABLE,
	ENTRY_NAMESPACE,
	ENTRY_TYPE_ARGUMENT, /* of a template or generic type */
	ENTRY_VARIANT_PART,  /* of a struct: only one of its variants is there; type is
			      * the member that tells which */
	ENTRY_VARIANT, /* value is that of this member; if it has none: any other */
};

enum entry_encoding {
	ENCODING_OTHER,
	ENCODING_SIGNED,
	ENCODING_UNSIGNED,
	ENCODING_FLOAT,
	ENCODING_COMPLEX, /* two floating-point numbers */
};

/* The location that an entry gives. */
enum entry_location {
	LOCATION_NONE,
	LOCATION_ADDRESS, /* in the file's own numbering */
	LOCATION_THREAD,  /* thread-local storage */
	LOCATION_OTHER,	  /* registers, computed, or several locations */
};

/*
 * One debug entry. Refs name entries of the same struct dwarf_file; 0 is none. Entries
 * are not checked against each other: chains of refs may be circular.
 */
struct entry {
	enum entry_tag tag;
	uint64_t ref;
	const char *name;      /* owned by the file; NULL: none */
	const char *link_name; /* the mangled name; likewise */
	uint64_t type;
	uint64_t origin; /* the entry that has the attributes missing here */
	enum entry_encoding encoding;
	uint64_t size;
	uint64_t count;	   /* of ENTRY_SUBRANGE; 0: open, as in int a[] */
	uint64_t line;	   /* of its declaration */
	uint64_t offset;   /* of a member, bytes */
	uint64_t bit;	   /* of a bit-field, from the start of the struct */
	uint32_t nbits;	   /* 0: no bit-field */
	uint32_t high_bit; /* DW_AT_bit_offset (DWARF 3): from the top of its storage */
	int64_t value;
	uint64_t address; /* if LOCATION_ADDRESS; of a function its first instruction */
	enum entry_location location;
	bool has_offset, has_bit, has_high_bit;
	bool is_declaration;
	bool has_code;
	bool is_vector;	      /* an array that is a vector type */
	bool is_result;	      /* a parameter that is a result, in Go */
	bool is_by_signature; /* origin, in a type unit, is the whole entry */
	bool is_external;     /* other units see the function or variable */
	bool has_value;	      /* a constant, not a place */
	bool has_values;      /* of ENTRY_VARIANT: several, or one that is too wide */
	bool is_prototyped;   /* a function of C that has a prototype */
	bool is_optimized;    /* a function whose calls are described */
	uint64_t convention;  /* of a function: DW_CC_, 0 if not given */
	uint64_t align;	      /* of a type, if it is given */
	/* Of a class: how its values are passed; both false: not given. */
	bool is_by_reference, is_by_value;
};

/*
 * Opens the entries of f. shared is the file that .gnu_debugaltlink of f names, or
 * NULL. Both may be released afterwards. NOENT if f has no entries, UNSUP (compressed
 * in an unknown way), BADFMT, IO. The caller closes *out.
 */
int dwarf_open(const struct elf_file *f, const struct elf_file *shared,
	       struct dwarf_file **out, struct err *e);
void dwarf_close(struct dwarf_file *d);
/*
 * Adds the entries that are in .dwo files (split DWARF) of f, from which d was opened.
 * They are searched in the root of the process of tid (0: in our own) as
 * debugfile_open_split() says, for the program at path.
 */
void dwarf_open_split(struct dwarf_file *d, const struct elf_file *f, int tid,
		      const char *path);
/* Why entries in .dwo files are not known, until dwarf_close(); NULL: there are none. */
const char *dwarf_split_why(const struct dwarf_file *d);

/*
 * Takes n bytes of memory for what is made of the entries and lives as long as the file;
 * false if the file may not take as much.
 */
bool dwarf_has_room(struct dwarf_file *d, uint64_t n);

/* Reads the entry; false if the ref names none. */
bool dwarf_entry(struct dwarf_file *d, uint64_t ref, struct entry *out);
/* Calls visit() for each child, but those of ENTRY_OTHER, until it returns false. */
void dwarf_children(struct dwarf_file *d, uint64_t ref,
		    bool (*visit)(void *ctx, const struct entry *e), void *ctx);
/*
 * Stores where the pieces of a function's code begin, at most max of them, in the order
 * of the file, and returns how many: a function that the compiler split into hot and
 * cold parts has DW_AT_ranges and no single address.
 */
size_t dwarf_piece_starts(struct dwarf_file *d, uint64_t ref, uint64_t *out,
			  size_t max);
#define DWARF_INLINED_MAX                                                              \
	15 /* inlined copies in one another; further ones are left out */

/* A line of the source. */
struct dwarf_place {
	uint64_t inlined; /* ref of the inlined copy that the line is in; 0: none */
	const char *file; /* owned by d; NULL: not known */
	uint64_t line;
};
/*
 * The lines of an address in a function: the innermost first, then where each inlined
 * copy was called. Returns how many; 0: not known.
 */
size_t dwarf_places(struct dwarf_file *d, uint64_t function, uint64_t pc,
		    struct dwarf_place out[DWARF_INLINED_MAX + 1]);
#define DWARF_SCOPES_MAX 64 /* in one another; inner ones are left out */
/*
 * Stores the refs of the scopes that hold an address of a function: blocks and inlined
 * copies, the innermost first, then the function. Copies that are only entered there are
 * taken if is_entered. Returns how many; 0: the function does not hold the address.
 */
size_t dwarf_scopes(struct dwarf_file *d, uint64_t function, uint64_t pc,
		    bool is_entered, uint64_t out[DWARF_SCOPES_MAX + 1]);
/* The file and line of a function's declaration; false: not known. */
bool dwarf_declared(struct dwarf_file *d, uint64_t function, const char **file,
		    uint64_t *line);

/* Where the caller's value of a register is. */
struct dwarf_saved {
	enum { SAVED_NOT, SAVED_NOWHERE, SAVED_AT_CFA } kind;
	int64_t offset; /* from the CFA */
};

/*
 * The value that a register has in the function's body, which locations refer to. Before
 * the function has set it, or after it has restored it, the register has another one.
 */
struct dwarf_own {
	enum { OWN_HERE, OWN_NOWHERE, OWN_AT_CFA } kind;
	int64_t offset; /* it is the CFA + this */
};

/* What locations in a function refer to. */
struct dwarf_frame {
	uint64_t function; /* ref */
	uint64_t pc;
	enum { FRAME_UNKNOWN, FRAME_PLAIN, FRAME_LOADED } cfa;
	uint32_t reg;	/* DWARF number: the CFA is reg + offset, ... */
	int64_t offset; /* ... or the word there, + after */
	int64_t after;
	struct dwarf_saved fp, base;
	struct dwarf_own own_fp, own_base, own_sp; /* not of a caller's frame */
	/* The frame of a caller: false if nothing is known. */
	bool (*caller)(void *ctx, uint64_t pc, struct dwarf_frame *out);
	/* Stores the refs of at most max calls of the function, and returns how many. */
	size_t (*calls)(void *ctx, uint64_t *out, size_t max);
	void *ctx;     /* of both */
	bool is_entry; /* the pc is the function's first instruction */
};
/*
 * Calls visit() for each described call of all code, until the limit of dwarf_walk():
 * its ref, and that of the called function or of its declaration.
 */
void dwarf_calls(struct dwarf_file *d,
		 void (*visit)(void *ctx, uint64_t call, uint64_t called), void *ctx);
/* Where the variable or parameter is at frame->pc. */
void dwarf_where(struct dwarf_file *d, uint64_t variable,
		 const struct dwarf_frame *frame, struct where *out);
/* What an entry says of the place of a variable: for how long. */
enum dwarf_term {
	TERM_NONE,   /* nothing */
	TERM_CONST,  /* always: it is a constant */
	TERM_LISTED, /* for ranges of addresses, each its own */
	TERM_ALL,    /* one place, for all of the function's body */
};
enum dwarf_term dwarf_where_term(struct dwarf_file *d, uint64_t variable);
/*
 * The first place that a list gives for addresses from frame->pc to the end, as if it
 * were for frame->pc. False: there is none.
 */
bool dwarf_where_next(struct dwarf_file *d, uint64_t variable, uint64_t end,
		      const struct dwarf_frame *frame, struct where *out);

/*
 * The first address at which the function has made its frame and stored its parameters,
 * by its lines; 0: not known.
 */
uint64_t dwarf_prologue_end(struct dwarf_file *d, uint64_t function);

/* A row of the line tables that begins a statement. */
struct dwarf_line {
	uint64_t address;
	const char *file; /* owned by d */
	uint64_t line;
};
/*
 * Calls visit() for each such row, in no order, of the files that wants() chooses. False:
 * there is no room for the tables, or the work was ended.
 */
bool dwarf_lines(struct dwarf_file *d, bool (*wants)(void *ctx, const char *file),
		 void (*visit)(void *ctx, const struct dwarf_line *line), void *ctx);
/* Where the code of an inlined copy is entered, or its lowest address. */
bool dwarf_entry_address(struct dwarf_file *d, uint64_t ref, uint64_t *address);
enum dwarf_language {
	LANGUAGE_OTHER,
	LANGUAGE_C,   /* or one that calls as C does and has its scopes */
	LANGUAGE_CXX, /* in which types with one qualified name are one type */
	LANGUAGE_RUST,
};
/* A namespace. */
struct dwarf_space {
	const struct dwarf_space *outer; /* NULL: it is in none */
	const char *name;		 /* NULL: it has none */
};
/* Where an entry is that is scanned. */
struct dwarf_spot {
	const struct dwarf_space *space; /* the innermost; NULL: none */
	enum dwarf_language language;	 /* of its unit */
};
/* Calls visit() for each entry outside functions and types, of all units. */
void dwarf_scan(struct dwarf_file *d,
		void (*visit)(void *ctx, const struct entry *e,
			      const struct dwarf_spot *spot),
		void *ctx);

/* A unit: what was compiled at once. */
struct dwarf_unit {
	uint64_t ref;
	const char *file; /* its source, owned by d; NULL: not known */
	enum dwarf_language language;
	bool is_gnu; /* of GNU's compilers */
};
/* The unit of an entry; false if the ref names none. */
bool dwarf_unit_of(struct dwarf_file *d, uint64_t ref, struct dwarf_unit *out);
#define DWARF_UNNAMED "(anonymous namespace)"
/* How far an entry can be seen by its name. */
enum dwarf_reach {
	REACH_ALL,
	REACH_UNIT,  /* it is in a namespace without a name */
	REACH_LOCAL, /* it is in a function */
};
/* Adds the names of the namespaces and types around an entry: "ns::Outer::". */
enum dwarf_reach dwarf_path(struct dwarf_file *d, uint64_t ref, struct strbuf *out);
/*
 * Calls visit() for each function, followed by the inlined copies in it. Returns false
 * if it stopped at its limit of entries, about a second's work.
 */
bool dwarf_walk(struct dwarf_file *d, void (*visit)(void *ctx, const struct entry *e),
		void *ctx);

#endif
