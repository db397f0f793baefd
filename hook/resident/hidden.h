/* SPDX-License-Identifier: MIT */
/*
 * Included before anything else in resident code: no symbol, declared or defined, is
 * visible outside of it. -fvisibility is for definitions only; the address of a function
 * of another file would come from a table that needs relocations.
 */
#ifndef HOOK_RESIDENT_HIDDEN_H
#define HOOK_RESIDENT_HIDDEN_H

#pragma GCC visibility push(hidden)

#endif
