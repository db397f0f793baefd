/* SPDX-License-Identifier: MIT */
/*
 * The bytes of detours in a target's code: exchanged for the program's own, and back.
 */
#ifndef TRACER_KEEPER_SPACE_DETOUR_TEXT_H
#define TRACER_KEEPER_SPACE_DETOUR_TEXT_H

#include "tracer/keeper/space/detours.h"

/* One place of a detour. */
struct detour_text {
	uint64_t at;
	uint32_t number; /* of the detour */
	uint8_t n;
	bool is_island; /* of its jump island */
	bool is_done;	/* out: what was expected was there and has been exchanged */
};

/* A zeroed struct is empty; released by vec_release(). */
struct detour_texts {
	struct detour_text *data;
	size_t len, cap;
};

/* The places of the detour are added. */
void detour_texts_add(const struct detour *detour, struct detour_texts *list);
/* What the program has at a place of the list, and what the detour has. */
struct detour_place detour_texts_place(const struct detours *d,
				       const struct detour_text *t);
/*
 * Writes the detours' bytes, or (is_undo) those of the program, through mem
 * (/proc/PID/mem) where exactly the others are, whole pages at a time. Sorts the list by
 * address. No thread may run in these bytes, and nothing else may write on these pages
 * meanwhile: an all-stop, or a process that runs no code yet. False: some place could not
 * be read or written.
 */
bool detour_texts_write(const struct detours *d, struct detour_texts *list,
			bool is_undo, int mem);
/* Restores the bytes of all detours that are on through mem: a child's, the space's. */
void detour_texts_restore(const struct detours *d, int mem);

#endif
