/* SPDX-License-Identifier: MIT */
#include "vm/base/host/shared_library.h"

#include <dlfcn.h>
#include <string.h>

bool shared_library_load(const char *soname, const struct shared_function *functions,
			 size_t n, const char **why)
{
	void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
	bool has_all = handle != NULL;

	for (size_t i = 0; has_all && i < n; i++) {
		void *found = dlsym(handle, functions[i].name);

		memcpy(functions[i].pointer, &found, sizeof(found));
		has_all = found != NULL;
	}
	if (!has_all)
		*why = dlerror();
	return has_all;
}
