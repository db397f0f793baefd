/* SPDX-License-Identifier: MIT */
#include "vm/firing.h"

enum fault subr_strlen(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	const char *text;
	uint32_t len;
	enum fault fault;

	(void)n;
	if (!args[0])
		return firing_bad_address(f, 0);
	fault = memory_string(f, args[0], &text, &len);
	*out = len;
	return fault;
}
