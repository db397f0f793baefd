/* SPDX-License-Identifier: MIT */
#include "tracer/base/rate.h"

#include <strings.h>

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{"ns", 1},
	{"nsec", 1},
	{"us", 1000},
	{"usec", 1000},
	{"ms", 1000000},
	{"msec", 1000000},
	{"s", NSEC_PER_SEC},
	{"sec", NSEC_PER_SEC},
	{"m", 60 * NSEC_PER_SEC},
	{"min", 60 * NSEC_PER_SEC},
	{"h", 3600 * NSEC_PER_SEC},
	{"hour", 3600 * NSEC_PER_SEC},
	{"d", 86400 * NSEC_PER_SEC},
	{"day", 86400 * NSEC_PER_SEC},
};

uint64_t rate_unit(const char *unit)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (strcasecmp(unit, units[i].name) == 0)
			return units[i].ns;
	return 0;
}
