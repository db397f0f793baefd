/* SPDX-License-Identifier: MIT */
/*
 * dlopen, call, dlclose, three or argv[2] times over; argv[1] is the library. With a third
 * argument it writes a line after each time, and waits for one.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "../truth.h"

static unsigned long n_turn, n_plugged;

KEEP int turn(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	unsigned long (*calls)(void);
	long (*plugged)(long);

	hit(&n_turn);
	if (!lib)
		return -1;
	plugged = (long (*)(long))dlsym(lib, "plugged");
	calls = (unsigned long (*)(void))dlsym(lib, "plugin_calls");
	for (int i = 0; i < 10; i++)
		plugged(i);
	n_plugged += calls();
	return dlclose(lib);
}

static int wait_for_line(void)
{
	char c = 0;

	if (write(1, "turned\n", 7) != 7)
		return -1;
	while (c != '\n')
		if (read(0, &c, 1) != 1)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	int turns = argc > 2 ? atoi(argv[2]) : 3;
	int bad = argc < 2;

	for (int i = 0; i < turns && !bad; i++)
		bad = turn(argv[1]) != 0 || (argc > 3 && wait_for_line() != 0);
	truth("turn", &n_turn);
	truth("plugged", &n_plugged);
	return bad;
}
