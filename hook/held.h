/* SPDX-License-Identifier: MIT */
/*
 * Private to hook/: the bytes that plans hold beyond their own function (struct
 * hook_islands of hook.h): islands, the bytes of punned jumps, and padding that a jump
 * takes over. A plan is known by its patch address.
 */
#ifndef HOOK_HELD_H
#define HOOK_HELD_H

#include "hook/hook.h"

/* Whether a plan other than the one of patch holds one of the n bytes at `at`. */
bool held_is_taken(const struct hook_islands *b, taddr at, size_t n, taddr patch);
/* The plan of patch holds the n bytes at lo from now on. */
void held_take(struct hook_islands *b, taddr lo, size_t n, taddr patch);
/* The plan of patch holds none of the n bytes at lo any more. */
void held_give(struct hook_islands *b, taddr lo, size_t n, taddr patch);
/* The plan holds the padding at the end of its region from now on. */
void held_take_padding(struct hook_islands *b, const struct hook_plan *plan);
/* ... and gives it back. */
void held_give_padding(struct hook_islands *b, const struct hook_plan *plan);

#endif
