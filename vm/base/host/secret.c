/* SPDX-License-Identifier: MIT */
#include "vm/base/host/secret.h"

#include "vm/base/hash.h"
#include "vm/base/host/clock.h"

#include <stdatomic.h>
#include <sys/random.h>

/* Not 0. Without the kernel's numbers, from what is hard to guess. */
static uint64_t make_number(void)
{
	uint64_t made;

	if (getrandom(&made, sizeof(made), GRND_NONBLOCK) != sizeof(made))
		made = clock_now_ns() ^ (uintptr_t)&made << 20;
	return hash_u64(made);
}

uint64_t secret_number(void)
{
	static _Atomic uint64_t number;
	uint64_t made, none = 0;

	if (atomic_load(&number))
		return atomic_load(&number);
	made = make_number();
	return atomic_compare_exchange_strong(&number, &none, made) ? made : none;
}
