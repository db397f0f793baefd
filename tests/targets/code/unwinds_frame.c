/* SPDX-License-Identifier: MIT */
/* A frame of C between those of unwinds.cpp. */
#include "../truth.h"

int c_frame(int (*f)(int), int i, unsigned long *calls, unsigned long *returned);

KEEP int c_frame(int (*f)(int), int i, unsigned long *calls, unsigned long *returned)
{
	hit(calls);
	i = f(i) + 1;
	hit(returned);
	return i;
}
