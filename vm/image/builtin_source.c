/* SPDX-License-Identifier: MIT */
#include "vm/builtin.h"

static const uint8_t source_of[] = {
#define BUILTIN(name, type, contexts, source) SOURCE_##source,
#include "vm/builtin.def"
#undef BUILTIN
};

enum builtin_source builtin_source(enum builtin id)
{
	return (enum builtin_source)source_of[id];
}
