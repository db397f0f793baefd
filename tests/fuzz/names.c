/* SPDX-License-Identifier: MIT */
/*
 * Names of C++ and Rust functions: whatever a file calls its functions, they are
 * written out in bounded time and length, or not at all.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbols/elf/demangle.h"

#define WRITTEN_MAX 16384
#define SECONDS_MAX 3 /* under a sanitizer, on a busy machine */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void fuzz_one(const uint8_t *data, size_t n)
{
	struct strbuf out = {0};
	char *name = strndup((const char *)data, n);
	double start = seconds();
	unsigned timeouts_left = 4;

	assert(name);
	for (char *end, *p = name; *p; p = end) {
		end = p + strcspn(p, "\n");
		if (*end)
			*end++ = '\0';
		for (int form = DEMANGLE_BARE; form <= DEMANGLE_FULL; form++) {
			strbuf_reset(&out);
			if (demangle(p, (enum demangle_form)form, &timeouts_left, &out))
				assert(out.len && out.len <= WRITTEN_MAX);
			else
				assert(!out.len);
		}
	}
	assert(seconds() - start < SECONDS_MAX);
	strbuf_release(&out);
	free(name);
}
