/* SPDX-License-Identifier: MIT */
/*
 * The probes that a program or library was compiled with (USDT): the notes in
 * .note.stapsdt that the macros of <sys/sdt.h> leave, one for each site. A note has the
 * address of the site, that of its semaphore, names, and a text that says where the
 * arguments are. Nothing of it is trusted.
 */
#ifndef SYMBOLS_NOTES_H
#define SYMBOLS_NOTES_H

#include "symbols/symbols.h"
#include "vm/base/probe_operand.h"

/* Longer names, and names with other characters than letters of ASCII, are left out. */
#define PROBE_NOTE_NAME_MAX 127

struct probe_note {
	const char *provider, *name; /* as in the note: two underscores, no dash */
	const char *arguments;	     /* one for each operand, with spaces between */
	uint64_t pc;		     /* a value: the site, in code of the file */
	uint64_t semaphore; /* a value: 2 bytes of writable data; 0: there is none */
};

struct probe_notes {
	struct probe_note *data; /* in the order of the file */
	size_t len, cap;
	struct {
		char **data;
		size_t len, cap;
	} texts;	   /* private: what the names point into */
	uint32_t nbad;	   /* notes that are damaged, and left out */
	uint32_t nlookups; /* private: symbols that operands have named so far */
};

/*
 * Reads the notes of the file. It has none: 0. The caller releases *out, also after an
 * error, which is one of module_load_symbols().
 */
int module_probe_notes(const struct module *m, struct probe_notes *out, struct err *e);
void probe_notes_release(struct probe_notes *notes);

/*
 * One argument of a note. Forms, after an optional size N@ (-N@ if signed, Nf@ if it is
 * a floating-point number):
 *
 *	%reg			a register of 1, 2, 4 or 8 bytes; %xmm0 to %xmm15
 *	$disp			a constant, or $symbol+disp
 *	disp(%base,%index,s)	memory; each part may be absent
 *	symbol+disp(%rip)	memory, also with the parts in another order
 *	%fs:...			memory of the thread
 */
struct probe_argument {
	struct probe_operand operand; /* NONE: it is not understood */
	bool is_float;
	const char *text; /* of the argument, text_len bytes of the note's */
	size_t text_len;
};

/*
 * Reads the arguments of note i, of a site in this module, whose symbols should be loaded
 * for operands with names. Returns how many there are; those beyond PROBE_OPERANDS_MAX
 * are not stored. A file may name only so many symbols: further ones are not understood.
 */
size_t probe_note_arguments(const struct module *m, struct probe_notes *notes, size_t i,
			    struct probe_argument out[PROBE_OPERANDS_MAX]);

#endif
