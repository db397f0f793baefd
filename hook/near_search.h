/* SPDX-License-Identifier: MIT */
/*
 * Where in a process our memory may go. A pure function of the process's mappings: the
 * caller maps what it returns with MAP_FIXED_NOREPLACE, and asks again with fresh
 * mappings when that fails.
 *
 * Programs own addresses where nothing is mapped yet: sanitizers have their shadow there,
 * and end when they find a mapping in it; emulators and interpreters need the low
 * gigabytes. All of them leave room where the kernel puts mappings by itself. So our
 * memory is only there:
 *
 *	near a module	stubs, within reach of a 32-bit displacement from everything in
 *			their module. Below the module is looked at first, then above:
 *			the heap begins after the program
 *	far		all else: below the libraries, the way the kernel goes down
 *
 *	0x0000000000010000	program at a fixed address, its heap
 *	0x000000007fff8000	AddressSanitizer's shadow, to 0x10007fff8000
 *	0x0000010000000000	other sanitizers' shadows
 *	0x0000550000000000	program at any address, its heap
 *	0x0000600000000000	sanitizers' heaps and shadows
 *	0x00007e8000000000	FAR, libraries, stack
 *
 * Never used:
 *
 *	- from the heap's start to 1 GiB above the break: the heap would meet us;
 *	- from the lowest address the main stack may grow to up to its end;
 *	- AddressSanitizer's shadow, which a program at a fixed address is near to;
 *	- the page on either side of any other mapping: an overrun of it still
 *	  faults, and the kernel does not join the two;
 *	- what the kernel does not let anyone map, at the bottom.
 */
#ifndef HOOK_NEAR_SEARCH_H
#define HOOK_NEAR_SEARCH_H

#include "hook/target.h"

#define NEAR_PAGE	UINT64_C(4096)
#define NEAR_HEAP_ROOM	(UINT64_C(1) << 30)
#define NEAR_USER_END	UINT64_C(0x7ffffffff000) /* 47-bit addresses */
#define NEAR_REACH	(UINT64_C(1) << 31)
#define NEAR_SHADOW	UINT64_C(0x7fff0000) /* AddressSanitizer's, and its end */
#define NEAR_SHADOW_END UINT64_C(0x100080000000)
/* The kernel puts mappings of its own choice above, programs below. */
#define NEAR_LIBRARIES UINT64_C(0x680000000000)
/* What is far leaves so much to the program below what it has mapped. */
#define NEAR_FAR (UINT64_C(64) << 30)

struct near_space {
	const struct addr_range *maps; /* sorted by lo */
	size_t nmaps;
	struct addr_range heap;	 /* from its start to the break; lo = hi: none yet */
	struct addr_range stack; /* from as far as its limit lets it grow, to its end */
	uint64_t lowest;	 /* vm.mmap_min_addr */
};

/*
 * An address for size bytes, all of which every byte of near can reach and be
 * reached from. STATUS_FULL if there is none, STATUS_INVAL when size is 0 or near is
 * empty or larger than what can be reached.
 */
int near_search(const struct near_space *space, struct addr_range near, uint64_t size,
		taddr *out);

/* Whether these pages, and no others, would do: the rules are the same. */
bool near_space_is_free(const struct near_space *space, struct addr_range pages);

/*
 * An address for size bytes that need not be near anything: where the kernel would put
 * it, NEAR_FAR below what is mapped there if that is free, else as far as can be. What is
 * nearer stays free for those that need it, and for the program. The same errors.
 */
int near_search_far(const struct near_space *space, uint64_t size, taddr *out);

/* The highest address for size bytes in a range. The same errors. */
int near_search_in(const struct near_space *space, struct addr_range within,
		   uint64_t size, taddr *out);

#endif
