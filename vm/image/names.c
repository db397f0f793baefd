/* SPDX-License-Identifier: MIT */
/* Not in the resident image: pointers to text would need relocations. */
#include "vm/names.h"

static const char *name_of(const char *const *names, size_t count, uint32_t i)
{
	return i < count ? names[i] : "?";
}

const char *names_op(uint32_t i)
{
	static const char *const names[] = {
#define OP(name, format, effect, text) #name,
#include "vm/ops.def"
#undef OP
	};

	return name_of(names, ARRAY_LEN(names), i);
}

const char *names_builtin(uint32_t i)
{
	static const char *const names[] = {
#define BUILTIN(name, type, contexts, source) #name,
#include "vm/builtin.def"
#undef BUILTIN
	};

	return name_of(names, ARRAY_LEN(names), i);
}

const char *names_subr(uint32_t i)
{
	static const char *const names[] = {
#define SUBR(name, result, proto, least, most, contexts, flags) #name,
#include "vm/subr.def"
#undef SUBR
	};

	return name_of(names, ARRAY_LEN(names), i);
}

const char *names_action(uint32_t i)
{
	static const char *const names[] = {
#define ACTION(name) #name,
#include "vm/action.def"
#undef ACTION
	};

	return name_of(names, ARRAY_LEN(names), i);
}

const char *names_agg(uint32_t i)
{
	static const char *const names[] = {
#define AGGFUNC(name, words) #name,
#include "vm/agg.def"
#undef AGGFUNC
	};

	return name_of(names, ARRAY_LEN(names), i);
}
