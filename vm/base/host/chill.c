/* SPDX-License-Identifier: MIT */
#include "vm/base/host/chill.h"

#include <time.h>

#define NSEC_PER_SEC UINT64_C(1000000000)
#define BUDGET	     (NSEC_PER_SEC / 2)

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

int chill_spin(struct chill *c, uint64_t ns)
{
	uint64_t start = now_ns();

	if (start - c->since > NSEC_PER_SEC)
		*c = (struct chill){.since = start};
	if (ns > BUDGET - c->spent)
		return STATUS_LIMIT;
	c->spent += ns;
	while (now_ns() - start < ns)
		;
	return 0;
}
