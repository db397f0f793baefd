/* SPDX-License-Identifier: MIT */
/*
 * The private side of a module: how to reach its file, the memory its names
 * live in, and the indexes that lookups use.
 */
#ifndef SYMBOLS_INTERNAL_H
#define SYMBOLS_INTERNAL_H

#include "symbols/elf/elf.h"
#include "symbols/elf/file.h"
#include "symbols/symbols.h"
#include "vm/base/host/arena.h"

#include <time.h>

struct name_entry {
	uint64_t hash;
	uint32_t symbol; /* index */
};

struct part_entry {
	uint64_t value, size;
	uint32_t symbol; /* the preferred name of the function it belongs to */
};

/* A name as it was written; NULL: it is written as it is. */
struct readable {
	bool is_made;
	const char *bare, *full; /* demangle.h; in module_internal.names */
};

/* How a file was when it was read. */
struct file_stamp {
	uint64_t size; /* 0: not known */
	struct timespec modified, changed;
};

struct module_internal {
	struct mapped_file file; /* its path is module->path */
	bool has_start;		 /* the beginning is mapped */
	bool is_plain;		 /* not mapped anywhere: module->path is the file */
	int held;		 /* its file, open, + 1; 0: not held */
	bool is_loaded;
	int load_status;
	struct err *load_error;		  /* set when load_status is not 0 */
	struct elf_symbols full, dynamic; /* names point into these ... */
	uint8_t *go_table;		  /* ... or into Go's, */
	struct arena names;	    /* ... or, those that are made up, into this */
	struct name_entry *by_name; /* nsymbols: by hash, name, rank, address */
	struct readable *readable;  /* nsymbols, or NULL: none was asked for */
	unsigned timeouts_left;	    /* with names, for demangle() */
	uint64_t *reach;	    /* nsymbols: the greatest end of symbols[0..i] */
	struct part_entry *by_part; /* nparts: by address */
	struct {
		struct symbol_part *data;
		size_t len, cap;
	} signal_returns;	 /* unwind entries of code that ends signal handlers */
	struct file_stamp stamp; /* of the file all this came from */
	struct module *lender;	 /* whose tables these are (share.h), or NULL */
	uint32_t nborrowers;
	bool is_freed; /* by its owner */
};

/* Opens its file, through the process that maps it if there is one. */
int module_open(const struct module *m, struct elf_file *f, struct err *e);

/* symbol_demangled() without parameters. */
const char *symbol_demangled_bare(const struct module *m, const struct symbol *s);

#endif
