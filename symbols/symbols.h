/* SPDX-License-Identifier: MIT */
/*
 * What is mapped in a process and which functions are in it. Reads
 * /proc/PID/maps and ELF files; never touches the process itself. ELF files
 * and maps are not trusted: every offset is checked, files are opened
 * non-blocking and must be regular.
 */
#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"
#include "vm/base/taddr.h"

/* Whether text matches a D glob: * ? [abc] [a-z] [!abc] and \ to quote. */
bool glob_match(const char *pattern, const char *text);
/* Whether pattern holds any of * ? [ \ . */
bool glob_is_pattern(const char *pattern);

struct symbol {
	const char *name; /* owned by the module */
	uint64_t value;	  /* address in the file's own numbering (st_value) */
	uint64_t size;	  /* > 0 */
	uint32_t first_part, nparts; /* its .cold and other parts, module->parts */
	uint8_t rank;	  /* of aliases at one address: lower is preferred */
};

struct symbol_part {
	uint64_t value, size;
};

/* One mapped ELF object. Functions only; sorted by value, then rank, then name. */
struct module {
	char *name; /* base name as mapped: "libc.so.6", or "[vdso]" */
	char *path; /* as /proc/PID/maps says it, without " (deleted)" */
	uint64_t bias; /* run-time address - st_value */
	taddr lo, hi;  /* from the first to past the last mapping */
	bool is_exe;
	bool is_stripped; /* no symbol table: names are sub_HEX from .eh_frame */
	struct symbol *symbols;
	size_t nsymbols;
	struct symbol_part *parts;
	size_t nparts;
	uint64_t dev, ino;
};

struct modules {
	struct module **data; /* in address order */
	size_t len;
	int pid;
};

/*
 * Reads the objects mapped in pid now. Symbols are loaded by
 * module_load_symbols(). GONE when the process has ended, PERM.
 */
int modules_read(int pid, struct modules **out, struct err *e);
void modules_free(struct modules *m);

/*
 * Loads functions from .symtab, or if it has none .dynsym (separate debug
 * files by build-id and debuglink and .gnu_debugdata before that), or the
 * ranges of .eh_frame as sub_HEX for a stripped file. Repeated calls are free.
 */
int module_load_symbols(struct module *m, struct err *e);

/*
 * The objects a specifier's module field selects, pid-provider rules:
 * empty = all; a glob = base names; else a.out, exact path, base name,
 * base name up to a dot (libc -> libc.so.6). Calls found for each.
 * Returns the number found.
 */
size_t modules_select(const struct modules *ms, const char *field,
		      void (*found)(void *ctx, struct module *m), void *ctx);

/* The function named exactly, any binding or version; NULL if none. */
const struct symbol *module_find(const struct module *m, const char *name);
/* The function whose range (or part) holds the run-time address; NULL if none. */
const struct symbol *module_at(const struct module *m, taddr pc);
/* The object that holds the address; NULL if none. */
struct module *modules_at(const struct modules *ms, taddr pc);
static inline taddr module_address(const struct module *m, uint64_t value)
{
	return taddr_of(value + m->bias);
}

/*
 * Up to max names nearest to name in the module (edit distance), for "did
 * you mean"; returns how many were stored. Names belong to the module.
 */
size_t module_nearest(const struct module *m, const char *name, const char **out, size_t max);

/*
 * Any symbol of the dynamic or full table, functions or data, for our own
 * needs (_dl_debug_state, _r_debug): its run-time address. NOENT.
 */
int module_lookup_any(const struct module *m, const char *name, taddr *addr);

/* What kind of file a program is, before it is started or attached to. */
struct program_file {
	bool is_elf, is_64bit, is_x86_64, is_dynamic, is_setid;
	char interpreter[256]; /* of a script (#!), else empty */
};
/* NOENT, PERM, or INVAL when not a regular file; is_elf false is not an error. */
int program_file_read(const char *path, struct program_file *out, struct err *e);

#endif
