/* SPDX-License-Identifier: MIT */
/*
 * Exchanging the bytes of instructions, as a detour needs it.
 */
#ifndef TRACER_KEEPER_SPACE_TEXT_PATCH_H
#define TRACER_KEEPER_SPACE_TEXT_PATCH_H

#include "hook/hook.h"
#include "vm/base/taddr.h"

/* n bytes to be exchanged. */
struct text_patch {
	taddr at;
	uint8_t from[HOOK_COVERED_MAX], to[HOOK_COVERED_MAX];
	uint8_t n;
	bool is_island;	 /* of the detour's jump island */
	bool is_done;	 /* out: `from` was there and has been exchanged */
	uint32_t number; /* of its detour */
};

/* A zeroed struct is empty; released by vec_release(). */
struct text_patches {
	struct text_patch *data;
	size_t len, cap;
};

/*
 * Exchanges bytes through mem (/proc/PID/mem) where exactly `from` is, whole pages at a
 * time. Sorts the list by address. No thread may run in these bytes, and nothing else
 * may write on these pages meanwhile: an all-stop, or a process that runs no code yet.
 */
void text_patches_write(struct text_patches *list, int mem);

#endif
