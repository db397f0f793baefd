/* SPDX-License-Identifier: MIT */
#include "vm/base/host/chill.h"

#include "vm/base/host/clock.h"

#define NSEC_PER_SEC UINT64_C(1000000000)
#define BUDGET	     (NSEC_PER_SEC / 2)

int chill_spin(struct chill *c, uint64_t ns)
{
	uint64_t start = clock_now_ns();

	if (start - c->since > NSEC_PER_SEC)
		*c = (struct chill){.since = start};
	if (ns > BUDGET - c->spent)
		return STATUS_LIMIT;
	c->spent += ns;
	while (clock_now_ns() - start < ns)
		;
	return 0;
}
