/* SPDX-License-Identifier: MIT */
/*
 * What a module has for the files of this folder only: how to open its file, the memory
 * of its names, and the indexes of lookups.
 */
#ifndef SYMBOLS_INTERNAL_H
#define SYMBOLS_INTERNAL_H

#include "symbols/elf/elf.h"
#include "symbols/elf/file.h"
#include "symbols/elf/gotable.h"
#include "symbols/symbols.h"
#include "vm/base/host/arena.h"

struct name_entry {
	uint32_t hash;	 /* of the name: the lower half */
	uint32_t symbol; /* index */
};

struct part_entry {
	uint64_t value, size;
	uint32_t symbol; /* index: the preferred alias of its function */
};

/* A variable of a symbol table. */
struct variable_entry {
	uint64_t value;
	uint32_t symbol; /* index */
	bool is_dynamic; /* in the dynamic table, not in the full one */
};

/* The demangled name of a symbol. */
struct readable {
	bool is_made;		 /* an attempt was made */
	const char *bare, *full; /* enum demangle_form; NULL: it is not mangled */
};

/* The modules of one file that one modules_read() found. Each points to it. */
struct same_file {
	uint32_t nmodules;
	struct module *loaded; /* has tables, its own or borrowed ones; or NULL */
	struct module *holder; /* holds the file open (module_hold()); or NULL */
};

struct module_internal {
	struct same_file
		*same; /* NULL: it is not of a file, or of module_read_file() */
	struct mapped_file file; /* its path is module->path */
	bool has_start;		 /* the beginning of the file is mapped */
	bool is_file_only;	 /* of module_read_file(): no process maps it */
	int held;		 /* descriptor of its file + 1; 0: not open */
	bool is_loaded;
	int load_status;
	struct err *load_error;		  /* set when load_status is not 0 */
	struct elf_symbols full, dynamic; /* names of symbols point into these ... */
	uint8_t *go_table;		  /* ... into Go's table ... */
	struct arena names;		  /* ... or, if made here, into this */
	struct name_entry *by_name;	  /* nsymbols: by hash, name, rank, address */
	struct readable *readable;	  /* nsymbols, or NULL: none made yet */
	unsigned timeouts_left;		  /* for demangle() */
	uint64_t readable_left;	    /* bytes that demangled names may still take */
	uint64_t *reach;	    /* nsymbols: the greatest end of symbols[0..i] */
	struct part_entry *by_part; /* nparts: by address */
	struct {
		struct symbol_part *data;
		size_t len, cap;
	} signal_returns; /* unwind entries of code that ends signal handlers */
	struct go_code go;
	struct {
		struct variable_entry *data;
		size_t len, cap;
	} variables;		   /* by address; see has_variables */
	bool has_variables;	   /* they have been read */
	struct module_stamp stamp; /* of the file of the tables; size 0: none */
	uint64_t kept;		   /* bytes of its tables, by budget_keep() */
	struct module *lender;	   /* whose tables these are (share.h), or NULL */
	uint32_t nborrowers;	   /* modules that use the tables of this one */
	bool is_freed;		   /* by its owner; kept for borrowers */
};

/* Sets that x is of the same file as y, which may be NULL: x is the first of it. */
void module_join_file(struct module *x, const struct module *y);

/*
 * Opens its file, through the process that maps it; the errors of
 * module_load_symbols().
 */
int module_open(const struct module *m, struct elf_file *f, struct err *e);

/* symbol_demangled() without parameters. */
const char *symbol_demangled_bare(const struct module *m, const struct symbol *s);

#endif
