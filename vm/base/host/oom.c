/* SPDX-License-Identifier: MIT */
#include "vm/base/host/oom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return p;
}

void *oom_realloc(void *p, size_t n)
{
	return check(realloc(p, n ? n : 1));
}

void *oom_calloc(size_t n, size_t size)
{
	return check(calloc(n ? n : 1, size ? size : 1));
}

char *oom_strdup(const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;

	return text ? memcpy(oom_realloc(NULL, n), text, n) : NULL;
}
