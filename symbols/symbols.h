/* SPDX-License-Identifier: MIT */
/*
 * What is mapped in a process and which functions are in it. Reads
 * /proc/PID/maps and ELF files; never changes the process itself. ELF files
 * and maps are not trusted: every offset is checked, files are opened
 * non-blocking and must be regular.
 *
 * The vdso is in no file: its symbols are read from the process's memory, and
 * there are none where that may not be read.
 */
#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"
#include "vm/base/taddr.h"
#include "vm/base/unwind.h"

struct symbol {
	const char *name; /* owned by the module; without @VERSION */
	uint64_t value;	  /* address in the file's own numbering (st_value) */
	uint64_t size;	  /* > 0 */
	uint32_t first_part, nparts; /* its .cold and other parts, module->parts */
	/*
	 * Of aliases at one address the lower is preferred: global before
	 * weak before local, default version before others, then fewer
	 * leading underscores. Equal ranks are ordered by length, then name.
	 */
	uint8_t rank;
	bool is_ifunc;	 /* runs once, in the loader, to choose the real one */
	bool is_unnamed; /* sub_HEX: known from .eh_frame only */
	/*
	 * Code that nothing calls: an unnamed range that begins with a frame
	 * already built, or a .cold part whose function is not in the file.
	 */
	bool is_fragment;
};

struct symbol_part {
	uint64_t value, size;
};

/* Where the names of a module came from, for messages. */
enum symbol_source {
	SYMBOL_SOURCE_NONE,   /* not loaded, or no code at all */
	SYMBOL_SOURCE_SYMTAB, /* the file's full table */
	SYMBOL_SOURCE_DEBUG,  /* the full table of module->debug_path */
	SYMBOL_SOURCE_MINI,   /* .gnu_debugdata, exported names; sub_HEX for the rest */
	SYMBOL_SOURCE_GO,     /* Go's table, .gopclntab */
	SYMBOL_SOURCE_DYNSYM, /* exported names; sub_HEX for the rest */
	SYMBOL_SOURCE_EH_FRAME, /* sub_HEX only */
};

struct module_internal;

/* One mapped ELF object. Functions only; sorted by value, then rank, then name. */
struct module {
	char *name;   /* base name as mapped: "libc.so.6", or "[vdso]"; LM1`libc.so.6 */
	char *path;   /* as /proc/PID/maps says it, without " (deleted)" */
	char *soname; /* DT_SONAME, or NULL */
	uint64_t bias;	   /* run-time address - st_value */
	taddr lo, hi;	   /* from the first to past the last mapping */
	unsigned link_map; /* 0: that of the start */
	bool is_exe;
	bool is_vdso;
	bool is_part;	  /* a copy of a piece; the file is mapped elsewhere */
	bool is_deleted;  /* the path no longer leads to the file */
	bool is_stripped; /* no full symbol table: sub_HEX where no name is known */
	enum symbol_source source;
	char *debug_path; /* the separate debug file used, or NULL */
	struct symbol *symbols;
	size_t nsymbols;
	struct symbol_part *parts;
	size_t nparts;
	uint64_t dev, ino;
	struct module_internal *internal; /* private */
};

struct modules {
	struct module **data; /* in address order */
	size_t len;
	int pid;
};

/*
 * Reads the objects mapped in pid now: files with an executable mapping of
 * one of their segments, and the vdso. Symbols are loaded by
 * module_load_symbols(). GONE when the process has ended, PERM.
 * A file that cannot be opened is listed; loading its symbols says why.
 */
int modules_read(int pid, struct modules **out, struct err *e);
void modules_free(struct modules *m);
/* The module is of this link map: its name is made to say so. */
void module_set_link_map(struct module *m, unsigned link_map);

/*
 * A module from a file alone, as if mapped with this bias (0 if it is linked
 * for one address): no process is needed. For whoever looks at programs that
 * do not run. The errors of module_load_symbols().
 */
int module_read_file(const char *path, uint64_t bias, struct module **out,
		     struct err *e);
void module_free(struct module *m); /* only those of module_read_file() */

/*
 * Loads functions: from .symtab of the file or of its separate debug file (by
 * build-id, then by debuglink), or from Go's own table; the names that .dynsym adds;
 * and the ranges of .eh_frame that begin in none of these as sub_HEX (hex st_value),
 * so that no function is missed in a stripped file. Repeated calls are free and give
 * the same result. The file is reached through the process: call it while that is
 * alive. PERM, NOENT (deleted or replaced and out of reach), BADFMT, UNSUP, IO.
 */
int module_load_symbols(struct module *m, struct err *e);
/*
 * Opens its file now, while the process lives, so that symbols can be loaded when
 * it has ended or has unmapped the module. Costs a descriptor until then. Returns 1
 * when it was opened, 0 when that was done before or is not needed.
 */
int module_hold(struct module *m, struct err *e);

/*
 * Gives m, whose functions are not loaded, those of another module of the same file,
 * unchanged since; the tables are shared, and live as long as either. False: it is
 * another file, or `from` has none; nothing was done.
 */
bool module_share_symbols(struct module *m, struct module *from);

/* Which file the functions were loaded from, as it was then. */
struct module_stamp {
	uint64_t dev, ino, size;
	int64_t modified[2], changed[2]; /* seconds, nanoseconds */
};
/* False: it is not known, and the stamp is one that no file has. */
bool module_stamp(const struct module *m, struct module_stamp *out);
/* Whether both are of one file that has not changed. */
bool module_is_same_stamp(const struct module_stamp *a, const struct module_stamp *b);

/*
 * The objects a specifier's module field selects, pid-provider rules:
 * empty = all; a glob = base names; else the one object found first by
 * a.out, exact path (or another name of the same file), base name, base name
 * up to a dot (libc -> libc.so.6), then the same two for its DT_SONAME, then another
 * name of the executable in its folder (busybox is started as ls). Among
 * equals it is the one mapped highest, which was loaded first; and the copies of
 * its pieces with it. Calls found for each. Returns the number found.
 */
size_t modules_select(const struct modules *ms, const char *field,
		      void (*found)(void *ctx, struct module *m), void *ctx);

/* What follows needs module_load_symbols() first, else it finds nothing. */

/*
 * Whether globs pass the function by, though its name finds it: _init,
 * _fini, ifuncs and fragments.
 */
bool symbol_is_skipped_by_globs(const struct symbol *s);
/*
 * The name as it was written in C++ or Rust, with parameters but without a type
 * of result; NULL when it is no such name. It belongs to the module.
 */
const char *symbol_demangled(const struct module *m, const struct symbol *s);
/*
 * The functions a specifier's function field selects by glob ("" is "*"), in
 * address order; of aliases with the same address and size only the first
 * that matches. A glob matches a name as it is in the file or demangled, with or
 * without parameters. Returns the number found.
 */
size_t module_match(const struct module *m, const char *glob,
		    void (*found)(void *ctx, const struct symbol *s), void *ctx);
/*
 * The functions a function field without glob characters selects: all that are named
 * so in the file or, if there are none, whose demangled name it is, with or without
 * parameters. Returns the number found.
 */
size_t module_select(const struct module *m, const char *name,
		     void (*found)(void *ctx, const struct symbol *s), void *ctx);
/*
 * Where the loader stores which function it has chosen for an ifunc; false: the
 * module itself has no use of it.
 */
bool module_chosen_slot(const struct module *m, const struct symbol *ifunc,
			taddr *slot);
/* The function named exactly in the file, any binding or version; NULL if none. */
const struct symbol *module_find(const struct module *m, const char *name);
/*
 * How many functions have the name (static ones may share it); the i-th of
 * them by module_find_nth(), which is module_find() for 0.
 */
size_t module_count(const struct module *m, const char *name);
const struct symbol *module_find_nth(const struct module *m, const char *name,
				     size_t i);
/* The function whose range (or part) holds the run-time address; NULL if none. */
const struct symbol *module_at(const struct module *m, taddr pc);
/* Whether the run-time address is in the function or one of its parts. */
bool symbol_holds(const struct module *m, const struct symbol *s, taddr pc);
/* Whether the run-time address is in code that ends signal handlers. */
bool module_is_signal_return(const struct module *m, taddr pc);
/* Whether bytes in the file's own numbering are mapped there: a part has but some. */
bool module_has(const struct module *m, uint64_t value, uint64_t size);
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
size_t module_nearest(const struct module *m, const char *name, const char **out,
		      size_t max);
/* The same among the base names of the objects. */
size_t modules_nearest(const struct modules *ms, const char *field, const char **out,
		       size_t max);
/*
 * In words where the names of the module came from: "stripped: only exported
 * names are known". For messages about a function that was not found.
 */
const char *module_source_text(const struct module *m);

/*
 * Any symbol of the dynamic or full table, functions or data, for our own
 * needs (_dl_debug_state, _r_debug): its run-time address. NOENT; also what
 * module_load_symbols() gives when the file cannot be read. Needs no loading.
 */
int module_lookup_any(const struct module *m, const char *name, taddr *addr);

/*
 * The code of a module and what its file says about it: for whoever is going
 * to change the code. Addresses are in the file's own numbering.
 */
struct code_area { /* a segment */
	uint64_t value;
	uint8_t *data; /* as in the file, data with its own relocations applied */
	size_t size;
	bool is_code;
};

enum code_zone_kind {
	CODE_ZONE_RSEQ,	  /* a restartable sequence, or where it goes on abort */
	CODE_ZONE_SIGNAL, /* returns from signal handlers */
	CODE_ZONE_CANCEL, /* the C library compares the pc with it */
};

struct code_zone {
	uint64_t value, size;
	enum code_zone_kind kind;
};

struct module_code {
	struct code_area *areas; /* by address */
	size_t nareas;
	struct symbol_part *frames; /* code of every unwind entry, by address */
	size_t nframes;
	/*
	 * Where else control may arrive: landing pads, addends of relocations,
	 * symbols of any kind, abort handlers, the entry point; in no order, and some
	 * are no code.
	 */
	uint64_t *pointers;
	size_t npointers;
	struct code_zone *zones;
	size_t nzones;
	bool is_fixed; /* linked for one address */
};
/*
 * Needs module_load_symbols() first. NOENT, PERM, BADFMT, UNSUP, IO as there;
 * UNSUP for the vdso.
 */
int module_read_code(const struct module *m, struct module_code **out, struct err *e);
void module_code_free(struct module_code *c);

/*
 * How to find callers' frames in the code of a module (vm/base/unwind.h), from its
 * .eh_frame, or else .debug_frame. No rows when it has neither. The pcs are
 * offsets from m->lo, so the rows are good for every process that has mapped the
 * same file.
 * NOENT, PERM, BADFMT, UNSUP, IO as of module_load_symbols().
 */
struct module_cfi_rows {
	struct unwind_row *data; /* vec: to free() */
	size_t len, cap;
};
int module_read_cfi_rows(const struct module *m, struct module_cfi_rows *out,
			 struct err *e);

/* What kind of file a program is, before it is started or attached to. */
struct program_file {
	bool is_elf;
	bool is_native;	 /* of the class, byte order and machine that dtrace traces */
	bool is_dynamic; /* asks for a loader (PT_INTERP); of native files only */
	bool is_setid;	 /* set-uid, set-gid or file capabilities in effect */
	char interpreter[256]; /* of a script (#!), else empty */
};
/*
 * NOENT, PERM, INVAL when not a regular file, BADFMT when a native
 * ELF file is damaged; is_elf false is not an error.
 */
int program_file_read(const char *path, struct program_file *out, struct err *e);

#endif
