/* SPDX-License-Identifier: MIT */
/*
 * The ELF objects that are mapped in a process (modules) and their functions. Reads
 * /proc/PID/maps and ELF files; never changes the process. Neither is trusted: every
 * offset is checked, files are opened non-blocking and must be regular.
 *
 * The vdso is in no file. Its symbols are read from the memory of the process; if that
 * is not permitted, it has none.
 *
 * Two kinds of addresses: a taddr is a run-time address in the process. A uint64_t
 * called value is an address in the file's own numbering (st_value), the same in every
 * process; module_address() converts it.
 *
 * Functions that can fail return 0 or a negative enum status and set *e; the names in
 * their comments (PERM, NOENT) are statuses without the prefix STATUS_.
 */
#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

#include <stdatomic.h>

#include "vm/base/base.h"
#include "vm/base/host/err.h"
#include "vm/base/host/near.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/taddr.h"
#include "vm/base/cfi.h"
#include "vm/base/regs.h"

struct symbol {
	const char *name; /* owned by the module; without @VERSION */
	uint64_t value;
	uint64_t size;		     /* > 0 */
	uint32_t first_part, nparts; /* its .cold and other parts, in module->parts */
	/*
	 * Among aliases (symbols at one address) the lowest rank is preferred: fewer
	 * leading underscores, then the default version before others, then global
	 * before weak before local. Equal ranks are ordered by length, then name.
	 */
	uint8_t rank;
	bool is_ifunc;	 /* a resolver: the loader calls it to choose the function */
	bool is_unnamed; /* sub_HEX: only .eh_frame describes it */
	/*
	 * Not a whole function: an unnamed range that begins with a frame already
	 * built, or a .cold part whose function was not found.
	 */
	bool is_fragment;
};

/* Whether the file exports it or could: it is no local symbol. */
bool symbol_is_global(const struct symbol *sym);

struct symbol_part {
	uint64_t value, size;
};

/* Which table gave the names of a module, for messages. */
enum symbol_source {
	SYMBOL_SOURCE_NONE,   /* not loaded, or the file has no code */
	SYMBOL_SOURCE_SYMTAB, /* .symtab of the file */
	SYMBOL_SOURCE_DEBUG,  /* .symtab of module->debug_path */
	SYMBOL_SOURCE_MINI,   /* .gnu_debugdata, exported names; sub_HEX for the rest */
	SYMBOL_SOURCE_GO,     /* Go's table, .gopclntab */
	SYMBOL_SOURCE_DYNSYM, /* exported names; sub_HEX for the rest */
	SYMBOL_SOURCE_EH_FRAME, /* sub_HEX only */
};

struct module_internal;

#define MODULE_BUILD_ID_MAX 64 /* bytes */

/*
 * One mapped ELF object. The symbols are those of functions, sorted by value, then
 * rank, then length of the name, then name. All that it points to belongs to it.
 */
struct module {
	char *name;    /* "libc.so.6", "[vdso]", or with its link map "LM1`libc.so.6" */
	char *path;    /* as in /proc/PID/maps, without " (deleted)" */
	char *soname;  /* DT_SONAME, or NULL */
	uint64_t bias; /* run-time address - st_value */
	taddr lo, hi;  /* start of the first mapping, end of the last one */
	uint64_t executable; /* bytes of it that are mapped for execution */
	unsigned link_map;   /* 0: the one that the program starts with */
	bool is_listed;	     /* some link map has it; set by who reads them */
	bool is_exe;
	bool is_vdso;
	bool is_part;	 /* a second mapping of some bytes of another module's file */
	bool is_deleted; /* the path no longer names the file */
	bool is_stripped; /* no full symbol table: functions without a name are sub_HEX */
	bool has_restartable; /* zones of CODE_ZONE_RSEQ, see module_read_code() */
	enum symbol_source source;
	char *debug_path; /* the separate debug file used, or NULL */
	/* Of the file, as the linker noted it; size 0: none, or symbols not loaded. */
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	size_t build_id_size;
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
	size_t nmappings; /* of the process, of any kind */
	/* Bytes that are executable and not writable, in mappings of any kind. */
	uint64_t executable;
	int pid;
	taddr *reach; /* private: the highest end of data[0..i] */
};

/*
 * Reads the objects that are mapped in pid now: files with an executable mapping of one
 * of their segments, and the vdso. Loads no symbols: module_load_symbols(). GONE if the
 * process has ended, PERM, IO. A file that cannot be opened is listed too; loading its
 * symbols reports why. The caller frees the result with modules_free().
 */
int modules_read(int pid, struct modules **out, struct err *e);
void modules_free(struct modules *m);
/* To be called when elements of data were replaced by modules at the same address. */
void modules_update(struct modules *m);
/* Sets link_map, and the prefix LM<n>` of the name, which is absent for 0. */
void module_set_link_map(struct module *m, unsigned link_map);

/*
 * Makes a module from a file that no process needs to have mapped, as if it were mapped
 * with this bias (0 is used if it is linked for one address). The caller frees it with
 * module_free(). The errors of module_load_symbols().
 */
int module_read_file(const char *path, uint64_t bias, struct module **out,
		     struct err *e);
void module_free(struct module *m); /* only those of the two functions beside it */

/* A mapping with code that a recording tells of. */
struct recorded_code {
	taddr lo;
	uint64_t size, offset; /* bytes; where they are in the file */
	const char *path,
		*copy; /* of the file, and of a copy of it; copy may be NULL */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: it was not recorded; then the inode counts */
	uint64_t inode;	      /* 0: it was not recorded */
};
/*
 * A module of the mapping. Symbols come from the file at path, or from the copy, if it
 * has the build-id or else is the inode; if neither is the recorded file, the module has
 * its name alone, and module_load_symbols() fails with NOENT. like: another module of the
 * same file, whose tables serve both; or NULL. The caller frees it with module_free().
 */
struct module *module_of_recorded(const struct recorded_code *c,
				  const struct module *like);

/*
 * Loads the functions. Sources: .symtab of the file, or of its separate debug file
 * (found by build-id, then by debuglink); if there is none, .gnu_debugdata or Go's own
 * table; then names that only .dynsym has. A range of .eh_frame that begins in none of
 * these becomes sub_HEX (HEX is the value), so a stripped file misses no function.
 * Repeated calls cost nothing and give the same result. The file is opened through the
 * process, which must be alive (or see module_hold()). PERM, NOENT (deleted or
 * replaced, and out of reach), BADFMT, UNSUP (another machine), IO.
 */
int module_load_symbols(struct module *m, struct err *e);
/* Whether that was done, with any result. */
bool module_is_loaded(const struct module *m);
/*
 * Opens the file of the module now, so that its symbols can still be loaded when the
 * process has ended or unmapped it. Holds one descriptor until they are loaded. Returns
 * 1 if it opened the file, 0 if that was done before or is not needed; the errors of
 * module_load_symbols().
 */
int module_hold(struct module *m, struct err *e);

/*
 * Gives m, whose functions are not loaded, the tables of `from`, a module of the same
 * unchanged file. The tables are shared and live as long as either module. Returns
 * false, and does nothing, if the files differ or `from` has no tables.
 */
bool module_share_symbols(struct module *m, struct module *from);

/*
 * The same with any other module of the file that modules_read() found with m: a process
 * may map a file thousands of times.
 */
bool module_share_in_process(struct module *m);

/*
 * Loading ahead: another thread loads the functions of a twin of m, for which m is not
 * used, until *is_stopped. True: module_share_symbols() can give them to m. False: they
 * are not complete, and what is wrong has not been reported: module_load_symbols(m)
 * finds it again. What is loaded ahead takes at most half of the limit of all files.
 * The caller frees the twin with module_free(). NULL: m has functions, or none can be
 * loaded ahead.
 */
struct module *module_twin(const struct module *m);
bool module_load_ahead(struct module *twin, const atomic_bool *is_stopped);

/* Identifies the file, and its version, that the functions were loaded from. */
struct module_stamp {
	uint64_t dev, ino, size;
	int64_t modified[2],
		changed[2]; /* seconds and nanoseconds of st_mtim, st_ctim */
};
/* False if it is not known; then *out equals the stamp of no file. */
bool module_stamp(const struct module *m, struct module_stamp *out);
/* Whether both name one file, unchanged between them. */
bool module_is_same_stamp(const struct module_stamp *a, const struct module_stamp *b);

/*
 * Calls found() for each object that the module field of a probe description selects,
 * and returns how many there are. The rules of the pid provider: an empty field selects
 * all, a glob is matched against base names (and LM<n>`name). Anything else selects one
 * object, by the first of these rules that finds one: a.out is the executable; the
 * exact path, or another path of the same file; the base name; the base name up to a
 * dot (libc for libc.so.6); the same two for DT_SONAME; another name of the executable
 * in its directory (busybox is started as ls). If a rule finds several, the one at the
 * highest address is taken, which was loaded first. Modules that are parts of the
 * selected one are selected with it.
 */
size_t modules_select(const struct modules *ms, const char *field,
		      void (*found)(void *ctx, struct module *m), void *ctx);

/* Whether it selects this one. */
bool modules_selects(const struct modules *ms, const char *field,
		     const struct module *wanted);

/* The functions below find nothing before module_load_symbols(). */

/*
 * Whether globs never select it, only its exact name: _init, _fini, ifuncs, fragments,
 * and __restore_rt, which is never called: handlers return to it, and unwinders know it
 * by its bytes.
 */
bool symbol_is_skipped_by_globs(const struct symbol *s);
/*
 * The name as written in C++ or Rust source, with parameters but without the result
 * type; NULL if it is not a mangled name. It belongs to the module.
 */
const char *symbol_demangled(const struct module *m, const struct symbol *s);
/*
 * Calls found() for each function that a glob selects ("" is "*"), in address order,
 * and returns how many there are. A glob matches the name in the file, or the demangled
 * name with or without parameters. Of aliases with the same address and size only the
 * first that matches is selected.
 */
size_t module_match(const struct module *m, const char *glob,
		    void (*found)(void *ctx, const struct symbol *s), void *ctx);
/*
 * The same for a name without glob characters: all functions with that name in the file
 * or, if there are none, with that demangled name, with or without parameters.
 */
size_t module_select(const struct module *m, const char *name,
		     void (*found)(void *ctx, const struct symbol *s), void *ctx);
/*
 * Stores in *slot where the loader keeps the address of the function that it chose for
 * an ifunc; false if the module has no such slot (it does not use the function itself).
 */
bool module_chosen_slot(const struct module *m, const struct symbol *ifunc,
			taddr *slot);
/* The function with exactly this name in the file, of any binding; NULL if none. */
const struct symbol *module_find(const struct module *m, const char *name);
/*
 * How many functions have the name (static functions may share one), and the i-th of
 * them; module_find() is number 0.
 */
size_t module_count(const struct module *m, const char *name);
const struct symbol *module_find_nth(const struct module *m, const char *name,
				     size_t i);
/* The function that holds the address in its range or a part; NULL if none. */
const struct symbol *module_at(const struct module *m, taddr pc);
/*
 * Appends to *name the name of the variable that holds the address, static ones as well,
 * and sets *start to where it begins (a value). is_demangled: as written in the source,
 * if the name is mangled. False, and nothing is changed: no symbol table has one.
 */
bool module_variable_at(const struct module *m, taddr addr, bool is_demangled,
			struct strbuf *name, uint64_t *start);
/* Appends the name of a symbol, or as it is written in the source if it is mangled. */
void symbol_add_readable(const char *name, struct strbuf *to);
/* Whether the function or one of its parts holds the address. */
bool symbol_holds(const struct module *m, const struct symbol *s, taddr pc);
/* Whether the address is in code that returns from signal handlers. */
bool module_is_signal_return(const struct module *m, taddr pc);
/* Whether the module maps these bytes of its file; one with is_part maps some only. */
bool module_has(const struct module *m, uint64_t value, uint64_t size);
/*
 * How the function passes arguments and results. Assembly code of a Go program has the
 * convention of its name: ABI0 if it ends in .abi0, else it is not known.
 */
enum regs_convention symbol_convention(const struct module *m, const struct symbol *s);
/* The object that holds the address; the innermost if several do; NULL if none. */
struct module *modules_at(const struct modules *ms, taddr pc);
static inline taddr module_address(const struct module *m, uint64_t value)
{
	return taddr_of(value + m->bias);
}

/*
 * Offers the names of all functions to the search. A name in C++ or Rust is offered with
 * its scope and without parameters; if the wanted one has no scope, its last part may be
 * near as well. The names belong to the module.
 */
void module_offer_near(const struct module *m, struct near *n);
/*
 * Stores up to max function names (NEAR_MAX at most) that differ least from name (edit
 * distance), for "did
 * you mean", and returns how many. The names belong to the module.
 */
size_t module_nearest(const struct module *m, const char *name, const char **out,
		      size_t max);
/* The same among the names of the objects. */
size_t modules_nearest(const struct modules *ms, const char *field, const char **out,
		       size_t max);
/*
 * m->source in words, for messages about a function that was not found: "stripped: only
 * exported names are known". Static text.
 */
const char *module_source_text(const struct module *m);

/*
 * The run-time address of any symbol, function or data (_r_debug), of the dynamic or
 * the full table. Does not need module_load_symbols(). NOENT if there is none; the
 * errors of module_load_symbols() if the file cannot be read.
 */
int module_lookup_any(const struct module *m, const char *name, taddr *addr);

/* The code of a module and what its file says about it, for those who rewrite code. */
/*
 * A segment, or a part of one: data in executable segments is apart, where the table of
 * sections tells it from code and no function, frame or entry point lies in it.
 */
struct code_area {
	uint64_t value;
	/* As in the file; in data, relocations are applied at bias 0. NULL: it is
	 * large, and what is needed of it is read with module_code_reread(). */
	uint8_t *data;
	size_t size;
	bool is_code;
	bool is_relocated; /* data is not as in the file */
	uint64_t offset;   /* in the file */
};

enum code_zone_kind {
	/*
	 * A restartable sequence (rseq(2)) and the last byte before it, where an
	 * instruction ends that tells the kernel of it: a thread that leaves both for
	 * other code loses its protection. And the signature before its abort handler.
	 */
	CODE_ZONE_RSEQ,
	CODE_ZONE_SIGNAL, /* returns from signal handlers: unwinders recognize it */
	CODE_ZONE_CANCEL, /* pthread_cancel(3) compares the pc of threads with it */
};

/* Code that must not be changed. */
struct code_zone {
	uint64_t value, size;
	enum code_zone_kind kind;
};

struct module_code {
	struct code_area *areas; /* by address */
	size_t nareas;
	struct symbol_part *frames; /* code of every FDE of .eh_frame, by address */
	size_t nframes;
	/*
	 * Values that control may reach other than through direct branches: landing
	 * pads, where functions of Go go on after recover(), addends of relocations,
	 * symbols of any kind, abort handlers, the entry point. In no order; some are not
	 * code.
	 */
	uint64_t *pointers;
	size_t npointers;
	struct code_zone *zones;
	size_t nzones;
	bool is_fixed; /* linked for one address */
	uint64_t kept; /* private: bytes of memory, for the limit of all files */
	int fd;	       /* private: the file; -1: it could not be kept open */
};
/*
 * Needs module_load_symbols() first; the same errors, and UNSUP for the vdso. The
 * caller frees *out with module_code_free(); it is NULL after an error.
 */
int module_read_code(const struct module *m, struct module_code **out, struct err *e);
void module_code_free(struct module_code *c);
/* Frees the lists of frames and pointers. */
void module_code_drop_lists(struct module_code *c);
/* Frees what is neither code nor a zone. */
void module_code_drop_tables(struct module_code *c);
/* Reads all of an area, if it is not there. False: that fails. */
bool module_code_hold_area(struct module_code *c, size_t area);
/*
 * Frees the bytes of an area that is not relocated: its data becomes NULL. False: they
 * stay.
 */
bool module_code_drop_area(struct module_code *c, size_t area);
/*
 * Reads n bytes of the area, from number `from` on; they are in the area. False:
 * the file is shorter now, or cannot be read.
 */
bool module_code_reread(const struct module_code *c, const struct code_area *area,
			size_t from, uint8_t *buf, size_t n);

/*
 * The executable segments of the file of a module, opened for many reads. NULL: it is the
 * vdso, or the file cannot be opened. Freed by module_text_close().
 */
struct module_text;
struct module_text *module_text_open(const struct module *m);
void module_text_close(struct module_text *t);
/*
 * Reads up to n bytes from a value on, and returns how many: fewer at the end of the
 * segment, 0 if no executable segment holds the value. Thread-safe.
 */
size_t module_text_read(const struct module_text *t, uint64_t value, uint8_t *buf,
			size_t n);

/*
 * The CFI rows of a module (vm/base/cfi.h): how stack walks find the frame of the
 * caller. From .eh_frame, and from .debug_frame for code that .eh_frame leaves out, as
 * that of Go; none if the file has neither. The pcs are offsets from m->lo, so the rows
 * serve every process that maps the same file. The caller releases *out with
 * vec_release(). The errors of module_load_symbols().
 */
struct module_cfi_rows {
	struct cfi_row *data; /* vec, ascending by pc */
	size_t len, cap;
};
int module_read_cfi_rows(const struct module *m, struct module_cfi_rows *out,
			 struct err *e);

/* What kind of program a file is, for use before it is started. */
struct program_file {
	bool is_elf;
	bool is_native;	 /* of the class, byte order and machine that dtrace traces */
	bool is_dynamic; /* asks for a loader (PT_INTERP); of native files only */
	bool is_setid;	 /* set-uid, set-gid or file capabilities are in effect */
	char interpreter[256]; /* of a script (#!), else empty */
};
/*
 * NOENT, PERM, IO, INVAL if it is not a regular file, BADFMT if it is a damaged native
 * ELF file. Any other file is not an error: then is_elf is false.
 */
int program_file_read(const char *path, struct program_file *out, struct err *e);

#endif
