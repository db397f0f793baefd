/* SPDX-License-Identifier: MIT */
#include "dlang/base/version.h"

#include <string.h>

#include "dlang/dlang.h"
#include "vm/base/fmt.h"

/* All versions, ascending. */
static const uint32_t versions[] = {
	VERSION(1, 0, 0),  VERSION(1, 1, 0),  VERSION(1, 2, 0),	 VERSION(1, 2, 1),
	VERSION(1, 2, 2),  VERSION(1, 3, 0),  VERSION(1, 4, 0),	 VERSION(1, 4, 1),
	VERSION(1, 5, 0),  VERSION(1, 6, 0),  VERSION(1, 6, 1),	 VERSION(1, 6, 2),
	VERSION(1, 6, 3),  VERSION(1, 7, 0),  VERSION(1, 7, 1),	 VERSION(1, 8, 0),
	VERSION(1, 8, 1),  VERSION(1, 9, 0),  VERSION(1, 9, 1),	 VERSION(1, 10, 0),
	VERSION(1, 11, 0), VERSION(1, 12, 0), VERSION(1, 12, 1), VERSION(1, 13, 0),
};

int version_parse(const char *text, size_t n, uint32_t *version)
{
	static const uint64_t most[] = {0xff, 0xfff, 0xfff};
	const char *end = text + n;
	uint64_t part[3] = {0};

	for (size_t i = 0; i < ARRAY_LEN(part); i++) {
		const char *dot = memchr(text, '.', (size_t)(end - text));
		size_t len = (size_t)((dot ? dot : end) - text);

		if (fmt_parse_u64(text, len, 10, &part[i]) || part[i] > most[i])
			return STATUS_INVAL;
		if (!dot) {
			*version = VERSION(part[0], part[1], part[2]);
			return i == 0 ? STATUS_INVAL : 0;
		}
		text = dot + 1;
	}
	return STATUS_INVAL;
}

int dlang_version(const char *text, uint32_t *version)
{
	int rc = version_parse(text, strlen(text), version);

	for (size_t i = 0; i < ARRAY_LEN(versions) && !rc; i++)
		if (versions[i] == *version)
			return 0;
	return rc ? rc : STATUS_NOENT;
}

uint32_t dlang_version_latest(void)
{
	return versions[ARRAY_LEN(versions) - 1];
}
