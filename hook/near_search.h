/* SPDX-License-Identifier: MIT */
/*
 * Where in a process our memory may go. Private to hook/. A pure function of
 * the process's mappings: the caller maps what it returns with
 * MAP_FIXED_NOREPLACE, and asks again with fresh mappings when that fails.
 *
 * Stubs must be within reach of a 32-bit displacement from everything in their
 * module. Below the module is looked at first, then above: the heap
 * begins after the program. Never used:
 *
 *	- from the heap's start to 1 GiB above the break: the heap would meet us;
 *	- from the lowest address the main stack may grow to up to its end;
 *	- the page on either side of any other mapping: an overrun of it still
 *	  faults, and the kernel does not join the two;
 *	- what the kernel does not let anyone map, at the bottom.
 */
#ifndef HOOK_NEAR_SEARCH_H
#define HOOK_NEAR_SEARCH_H

#include "hook/target.h"

#define NEAR_PAGE      UINT64_C(4096)
#define NEAR_HEAP_ROOM (UINT64_C(1) << 30)
#define NEAR_USER_END  UINT64_C(0x7ffffffff000) /* 47-bit addresses */
#define NEAR_REACH     (UINT64_C(1) << 31)
#define NEAR_LOW_END   UINT64_C(0x7fff0000)	/* AddressSanitizer's shadow begins */
#define NEAR_LOW_AGAIN UINT64_C(0x100080000000) /* ... and ends */
#define NEAR_AWAY      (NEAR_REACH * 4)

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

/*
 * Whether these pages, and no others, would do: the rules are the same, and where
 * AddressSanitizer will have its shadow is left free as well.
 */
bool near_space_is_free(const struct near_space *space, struct addr_range pages);

/*
 * An address for size bytes below NEAR_LOW_END, as high as possible. The same
 * errors.
 */
int near_search_low(const struct near_space *space, uint64_t size, taddr *out);

/*
 * An address for size bytes that need not be near anything, NEAR_AWAY from all
 * that is mapped: what is near stays free for those that need it. The same errors.
 */
int near_search_away(const struct near_space *space, uint64_t size, taddr *out);

/*
 * An address for size bytes in the middle of the largest gap: what is mapped there in
 * pieces can grow for long before the program's own memory comes near. The same errors.
 */
int near_search_middle(const struct near_space *space, uint64_t size, taddr *out);

#endif
