/* SPDX-License-Identifier: MIT */
/*
 * What a hostile target finds of the tracer in its own memory, and how it writes there.
 * Regions are found in /proc/self/maps and known by their first word, so the names of the
 * files do not matter; positions inside come from the headers of the product.
 */
#ifndef TESTS_ATTACK_SHARED_H
#define TESTS_ATTACK_SHARED_H

#include "hook/resident.h"
#include "vm/block/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct region {
	uintptr_t lo, hi;
	bool is_readable, is_writable, is_executable, is_shared, is_memfd;
};

/* The mappings of this process, in order: how many of them; at most max. */
size_t regions(struct region *r, size_t max);

/* The first readable mapping that begins with the word, or NULL. */
void *region_of(uint32_t magic);

/* The address as a pointer. */
static inline void *pointer_to(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/*
 * Writes n bytes by every means that a process has against its own mapping: the memory
 * itself after mprotect(), /proc/self/mem, the file behind the mapping opened again. False
 * when all of them fail. Counts into poked.
 */
bool poke(void *at, const void *bytes, size_t n);
bool poke32(void *at, uint32_t value);
bool poke64(void *at, uint64_t value);

extern unsigned long poked, refused;

/* What the calling thread has of resident code; NULL: it has no TCB. */
struct resident_tcb *own_tcb(void);
/* The state block as mapped here; NULL: it is not. */
struct state *own_state(void);
/* The slot of the calling thread's first level. */
struct slot *own_slot(void);
/* The D program, as resident code has it. */
const void *own_image(void);

#endif
