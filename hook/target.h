/* SPDX-License-Identifier: MIT */
/*
 * What hook/ must know about a module of the target. The reader of the module's file
 * fills it in; hook/ keeps no reference beyond what each function
 * says. All addresses are run-time addresses. Arrays of ranges are sorted by
 * lo; they may overlap unless said otherwise.
 */
#ifndef HOOK_TARGET_H
#define HOOK_TARGET_H

#include "hook/hook.h"

#include <stdatomic.h>

/* A part of the module as its file has it. */
struct hook_bytes {
	taddr lo;
	const uint8_t *data;
	size_t n;
	/*
	 * Not all of it is in memory: data has `held` bytes of it, from number `from` on.
	 * For planning, those of code must hold the function, and what is near it; for
	 * hook_branches_new(), hook_module.hold gets those of data, and hold_code() those
	 * of code.
	 */
	bool is_window;
	size_t from, held;
};

/*
 * The bytes from pc on, and how many there are; NULL: pc is not in the part, or not in
 * its window.
 */
static inline const uint8_t *hook_bytes_at(const struct hook_bytes *b, taddr pc,
					   size_t *left)
{
	uint64_t at = pc.v - b->lo.v;

	if (pc.v < b->lo.v || at >= b->n)
		return NULL;
	if (!b->is_window) {
		*left = b->n - (size_t)at;
		return b->data + at;
	}
	if (at < b->from || at - b->from >= b->held)
		return NULL;
	at -= b->from;
	*left = b->held - (size_t)at;
	return b->data + at;
}

#define HOOK_HELD (64u << 10) /* bytes: hardly a switch table is longer */

/* Code that must stay as it is. */
struct hook_zone {
	struct addr_range range;
	enum hook_reason reason; /* RSEQ, SIGNAL_FRAME or CANCELLATION */
};

struct hook_module {
	/* Executable segments, sorted, apart. */
	const struct hook_bytes *code;
	size_t ncode;
	/* The other segments: switch tables and pointers to labels are in them. */
	const struct hook_bytes *data;
	size_t ndata;
	/* Every function and part of one that has a symbol. */
	const struct addr_range *functions;
	size_t nfunctions;
	/* The code ranges of all unwind entries (FDE). */
	const struct addr_range *unwound;
	size_t nunwound;
	/*
	 * Other addresses that control may reach, in any order: landing pads of
	 * exceptions and of panics, addends of relocations, symbols without a size,
	 * abort handlers of restartable sequences, the program's entry point. Those
	 * outside the code are ignored.
	 */
	const taddr *pointers;
	size_t npointers;
	const struct hook_zone *zones;
	size_t nzones;
	/*
	 * Linked for one address (ET_EXEC): then immediates and words of data are
	 * code addresses without a relocation.
	 */
	bool is_fixed;
	/*
	 * Makes HOOK_HELD bytes of data from the address on part of a window, unless its
	 * part ends before; what was there before may go. NULL: no data is in windows.
	 */
	void (*hold)(void *ctx, taddr at);
	/*
	 * Makes the code from lo to hi, and an instruction more, part of a window, if it
	 * can be read. NULL: no code is in windows.
	 */
	void (*hold_code)(void *ctx, taddr lo, taddr hi);
	/* Set with it. Copies up to n bytes of code, and moves no window: how many. */
	size_t (*read_code)(void *ctx, taddr at, uint8_t *buf, size_t n);
	void *hold_ctx;
	/*
	 * Another thread sets it: hook_branches_new() ends within milliseconds, and it is
	 * not known what arrives anywhere (HOOK_REASON_UNSEARCHED). NULL: none does.
	 */
	const atomic_bool *is_stopped;
};

#endif
