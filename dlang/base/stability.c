/* SPDX-License-Identifier: MIT */
#include "dlang/base/stability.h"

#include <string.h>
#include <strings.h>

#include "dlang/dlang.h"

static const char *const level_names[] = {
	"Internal", "Private",	"Obsolete", "External",
	"Unstable", "Evolving", "Stable",   "Standard",
};
static const char *const class_names[] = {
	"Unknown", "CPU", "Platform", "Group", "ISA", "Common",
};

static bool find_word(const char *s, size_t n, const char *const *words, size_t count,
		      uint32_t *out)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(words[i]) == n && strncasecmp(s, words[i], n) == 0) {
			*out = (uint32_t)i;
			return true;
		}
	}
	return false;
}

bool stability_parse(const char *text, size_t n, struct stability *out)
{
	const char *end = text + n, *first = memchr(text, '/', n), *second;
	uint32_t name, data, class;

	second = first ? memchr(first + 1, '/', (size_t)(end - first) - 1) : NULL;
	if (!second ||
	    !find_word(text, (size_t)(first - text), level_names,
		       ARRAY_LEN(level_names), &name) ||
	    !find_word(first + 1, (size_t)(second - first) - 1, level_names,
		       ARRAY_LEN(level_names), &data) ||
	    !find_word(second + 1, (size_t)(end - second) - 1, class_names,
		       ARRAY_LEN(class_names), &class))
		return false;
	*out = (struct stability){(enum stability_level)name,
				  (enum stability_level)data,
				  (enum stability_class) class};
	return true;
}

bool dlang_is_stability(const char *text)
{
	struct stability s;

	return stability_parse(text, strlen(text), &s);
}

void stability_names(struct stability s, const char *names[3])
{
	names[0] = level_names[s.name];
	names[1] = level_names[s.data];
	names[2] = class_names[s.class];
}
