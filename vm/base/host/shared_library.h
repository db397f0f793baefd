/* SPDX-License-Identifier: MIT */
/* Shared libraries that most runs do without, loaded when they are first needed. */
#ifndef VM_BASE_HOST_SHARED_LIBRARY_H
#define VM_BASE_HOST_SHARED_LIBRARY_H

#include "vm/base/base.h"

/* A function of a library: its name, and the function pointer that is to be set. */
struct shared_function {
	const char *name;
	void *pointer; /* of type: function pointer * */
};

/*
 * Loads the library, found as dlopen(3) finds it, and sets all n pointers. It stays
 * loaded until the process ends. False: it is missing, cannot be loaded or lacks a
 * function; *why says which, in text that the next call changes. The pointers are
 * undefined then.
 */
bool shared_library_load(const char *soname, const struct shared_function *functions,
			 size_t n, const char **why);

#endif
