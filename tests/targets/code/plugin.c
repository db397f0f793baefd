/* SPDX-License-Identifier: MIT */
/* The shared library that loader.c opens; its constructor calls as well. */
#include "../truth.h"

static unsigned long n_plugged;

KEEP long plugged(long v)
{
	hit(&n_plugged);
	return v * 5;
}

__attribute__((constructor)) static void start(void)
{
	plugged(1);
}

unsigned long plugin_calls(void);

KEEP unsigned long plugin_calls(void)
{
	return n_plugged;
}
