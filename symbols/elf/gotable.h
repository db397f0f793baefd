/* SPDX-License-Identifier: MIT */
/*
 * Go's own table of functions (.gopclntab). The runtime needs it, so strip(1) and
 * `go build -ldflags -s` keep it.
 */
#ifndef SYMBOLS_ELF_GOTABLE_H
#define SYMBOLS_ELF_GOTABLE_H

#include "symbols/elf/candidates.h"
#include "vm/base/regs.h"

/*
 * Adds the functions of the table to c and returns how many. Their names point into
 * *bytes, which the caller frees after them; NULL if none was added.
 */
size_t gotable_add(const struct elf_file *f, const struct code_areas *areas,
		   struct candidates *c, uint8_t **bytes);

/* The code that Go's compiler made, and how its functions are called. */
struct go_code {
	uint64_t lo, hi; /* addresses in the file; lo = hi: the file is no Go program */
	enum regs_convention convention;
	struct {
		struct go_assembly {
			uint64_t start;
			/* It has no caller, or its frame is on another stack. */
			bool is_edge;
		} * data; /* ascending */
		size_t len, cap;
	} assembly; /* functions written in assembly */
};

/*
 * Reads it from the table; *out is empty, and stays so if there is no table. The caller
 * releases out->assembly with vec_release(). Its memory is part of the budget of f.
 */
void gotable_read_code(const struct elf_file *f, struct go_code *out);
/*
 * Calls add() with each address where a function goes on after recover(): its call that
 * runs the deferred functions which are left. Nothing else of the file shows that control
 * may arrive there.
 */
void gotable_read_resumed(const struct elf_file *f, void (*add)(void *ctx, uint64_t at),
			  void *ctx);
/* The function in assembly that begins at the address, or NULL. */
const struct go_assembly *go_code_assembly(const struct go_code *go, uint64_t start);

#endif
