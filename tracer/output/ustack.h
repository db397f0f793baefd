/* SPDX-License-Identifier: MIT */
/*
 * Prints names of the targets' addresses: stacks, usym() and its kin, %a, %A, %k.
 *
 * A record may be printed long after it was made. So a module that was unmapped, or an
 * image that an exec replaced, keeps its symbols, or the open file with them, to the
 * end of the run. If several modules were at an address one after the other, the time
 * of the record selects one. A key of an aggregation has no time: it means the current
 * module, or the last.
 */
#ifndef TRACER_OUTPUT_USTACK_H
#define TRACER_OUTPUT_USTACK_H

#include "symbols/symbols.h"
#include "tracer/output/format_item.h"
#include "tracer/base/options.h"
#include "tracer/output/out.h"
#include "vm/base/host/strbuf.h"
#include "vm/tuple.h"

struct ustack;

/* opt has how names are shown; it is read only in this call. */
struct ustack *ustack_new(const struct options *opt);
void ustack_free(struct ustack *u);

/* Names of generated code come from here (borrowed; NULL: from nowhere). */
struct jit;
void ustack_set_jit(struct ustack *u, struct jit *jit);
/* Names of Python frames come from here (borrowed; NULL: from nowhere). */
struct python_names;
void ustack_set_python(struct ustack *u, const struct python_names *names);
/* Names of the kernel's functions come from here (owned from now on). */
struct kernel_names;
void ustack_set_kernel(struct ustack *u, struct kernel_names *names);
/*
 * Sets the modules of a process (borrowed; NULL: none) until the next call for it. A
 * process that has ended keeps its last ones.
 */
void ustack_set(struct ustack *u, int pid, const struct modules *ms);
/* Makes the names of a module survive the end of its process. */
void ustack_keep(struct ustack *u, struct module *m);
/*
 * Gives a module that was mapped anew the tables of functions of one that was unmapped;
 * false if none is of the same file, unchanged.
 */
bool ustack_share(const struct ustack *u, struct module *m);
/*
 * The process has just unmapped the module. Takes ownership of it. Only so many modules
 * are remembered: the oldest are freed, first those whose place another module took.
 */
void ustack_retire(struct ustack *u, int pid, struct module *m);
/* The same for one that was unmapped at a time of CLOCK_MONOTONIC or of a recording. */
void ustack_retire_at(struct ustack *u, int pid, struct module *m, uint64_t until);

/* Selects the meaning of an address: the process, and the time of the record. */
struct ustack_place {
	uint64_t pid;  /* 0: the only process, if there is only one */
	uint64_t time; /* CLOCK_MONOTONIC ns; 0: not known */
};

/*
 * Prints a value of a field whose show is not SHOW_PLAIN, as data of trace() or as a
 * key.
 */
void ustack_print(struct ustack *u, struct out *o, const struct tuple_value *v,
		  uint64_t time, const struct options *opt);
/* The same by %k, %a or %A. %a and %A take an integer as an address. */
void ustack_format(struct ustack *u, struct out *o, const struct format_item *item,
		   const struct tuple_value *v, const struct ustack_place *place);
/* The name that generated code has in the place of a module's. */
#define USTACK_JIT "jit"
/* The same of a Python function. */
#define USTACK_PYTHON "python"
/* What is known of an address. Names and pointers are valid during the call. */
struct ustack_frame {
	uint64_t address;
	const char *module;   /* NULL: nothing is known; USTACK_JIT: generated code */
	const char *function; /* NULL: no symbol; also of umod() */
	uint64_t offset;      /* in the function */
	/*
	 * With the option ustackinline: the function was inlined where the next frame is,
	 * which has the same address. No offset.
	 */
	bool is_inlined;
	/* Of USTACK_PYTHON: it has file and line, the address means nothing. */
	bool is_python;
	const char
		*file; /* of the source, with the option ustackline; NULL: not known */
	uint64_t line; /* 0: not known */
	const struct module *object; /* NULL: nothing is known, or generated code */
	bool is_return;		     /* the address is after a call */
};

/*
 * Calls each() for the frames of a stack, innermost first, or once for a value of
 * usym() and the like. The value is one of a location; u NULL: no names.
 */
void ustack_each(struct ustack *u, const struct tuple_value *v, uint64_t time,
		 void (*each)(void *ctx, const struct ustack_frame *f), void *ctx);
/* Whether the value of a location is a stack. */
bool ustack_is_stack(const struct tuple_value *v);
/*
 * Appends a stack as "root;...;leaf", or the name of another location:
 * "module`function" without offsets, " [inlined]" after those that the option
 * ustackinline adds, every byte clean (tracer/base/text.h), a ';' in a name as ','.
 */
void ustack_fold(struct ustack *u, const struct tuple_value *v, uint64_t time,
		 struct strbuf *to);
/* Whether ustack_print() and %k print stacks so: the option stackformat. */
bool ustack_is_folded(const struct ustack *u);
/*
 * The text that ustack_print() shows for a value of SHOW_USYM or SHOW_UMOD, valid until
 * the next call. *first becomes the address where the named symbol or module begins; an
 * address without a name keeps its own.
 */
const struct strbuf *ustack_name(struct ustack *u, const struct tuple_value *v,
				 uint64_t *first);
#endif
