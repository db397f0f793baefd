/* SPDX-License-Identifier: MIT */
/* Calls before(), then executes argv[1] with the remaining arguments. */
#include <unistd.h>

#include "../truth.h"

KEEP int before(int v)
{
	return v + 1;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 7; i++)
		before(i);
	if (argc > 1)
		execv(argv[1], argv + 1);
	return 1;
}
