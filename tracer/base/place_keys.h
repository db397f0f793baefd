/* SPDX-License-Identifier: MIT */
/*
 * Place keys: 32-bit numbers for the addresses of code at which the compiler was told
 * where local variables are. A key is of an address in one unchanged file, so it is the
 * same in each mapping of that file, in each process, and no other file has it: what the
 * compiler was told of one program is never used in another that has the same addresses.
 * 0 is no key.
 */
#ifndef TRACER_BASE_PLACE_KEYS_H
#define TRACER_BASE_PLACE_KEYS_H

#include "symbols/symbols.h"

struct place_keys {
	struct {
		struct place_file {
			struct module_stamp stamp;
			uint64_t base, size; /* of its code, as values */
			uint32_t first;	     /* key of base */
			bool is_vdso;	     /* which is in no file */
		} * data;
		size_t len, cap;
	} files;
};

struct place_keys *place_keys_new(void);
void place_keys_free(struct place_keys *k);
/*
 * Gives keys to the code of the module's file, once. False: there are no more, or the
 * file is not known.
 */
bool place_keys_add(struct place_keys *k, const struct module *m);
/*
 * Sets *shift: the key of a value (symbols.h) in the module's file is the value + shift,
 * wrapping. False: the file has no keys.
 */
bool place_keys_shift(const struct place_keys *k, const struct module *m,
		      uint64_t *shift);
/* The key of a run-time address in the module, or 0. */
uint32_t place_keys_of(const struct place_keys *k, const struct module *m, taddr addr);

#endif
