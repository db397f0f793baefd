/* SPDX-License-Identifier: MIT */
/* One library in three link maps, called 1, 2 and 3 times in them. argv[1] is it. */
#include <dlfcn.h>

#include "../truth.h"

static long (*load(Lmid_t where, const char *path))(long)
{
	void *lib = dlmopen(where, path, RTLD_NOW);
	void *found = lib ? dlsym(lib, "plugged") : NULL;

	return (long (*)(long))found;
}

/* All are there when this is called. */
KEEP int calls(long (*f)(long), long n)
{
	for (long i = 0; i < n; i++)
		if (f(n) != n * 5)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	long (*own)(long) = argc > 1 ? load(LM_ID_BASE, argv[1]) : 0;
	long (*second)(long) = argc > 1 ? load(LM_ID_NEWLM, argv[1]) : 0;
	long (*third)(long) = argc > 1 ? load(LM_ID_NEWLM, argv[1]) : 0;

	if (!own || !second || !third)
		return 2;
	return calls(own, 1) + calls(second, 2) + calls(third, 3);
}
