/* SPDX-License-Identifier: MIT */
#include "tracer/jit/python.h"

#include <string.h>

#define SUPPORTED 0x030bu /* 3.11: tracer/keeper/fire/python.c has its structures */

/* Its version is a variable since 3.11. */
static uint32_t read_version(const struct module *m, struct procmem *memory)
{
	uint32_t version;
	taddr at;

	if (module_lookup_any(m, "Py_Version", &at) ||
	    procmem_read(memory, at.v, &version, sizeof(version)) < 0)
		return 0;
	return version;
}

static bool may_be_python(const struct module *m)
{
	return !m->is_vdso && !m->is_part && (m->is_exe || strstr(m->name, "python"));
}

bool python_find(const struct modules *ms, struct procmem *memory, struct python *out)
{
	for (size_t i = 0; i < ms->len; i++) {
		const struct module *m = ms->data[i];

		*out = (struct python){{0}, 0};
		if (!may_be_python(m) ||
		    module_lookup_any(m, "_PyRuntime", &out->runtime))
			continue;
		out->version = read_version(m, memory);
		if (out->version >> 16 != SUPPORTED)
			out->runtime.v = 0;
		return true;
	}
	return false;
}
