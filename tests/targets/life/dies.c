/* SPDX-License-Identifier: MIT */
/* Calls doomed() five times, then ends as argv[1] says: segv, abort or _exit. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../truth.h"

KEEP int doomed(int v)
{
	return v + 1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "_exit";
	volatile int *volatile nowhere = NULL;

	for (int i = 0; i < 5; i++)
		doomed(i);
	if (!strcmp(how, "segv"))
		*nowhere = 1;
	if (!strcmp(how, "abort"))
		abort();
	_exit(9);
}
