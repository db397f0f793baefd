/* SPDX-License-Identifier: MIT */
#include "vm/base/text/decimal_point.h"

#include <locale.h>
#include <string.h>

void decimal_point_set(char *number)
{
	const char *point = localeconv()->decimal_point;
	size_t n = strlen(point);
	char *p = n ? strstr(number, point) : NULL;

	if (!p)
		return;
	*p = '.';
	memmove(p + 1, p + n, strlen(p + n) + 1);
}
