/* SPDX-License-Identifier: MIT */
/*
 * A shared object that needs no loader: functions without relocations, the last one in a
 * page of its own. ownloader.c maps it.
 */
#include "../truth.h"

long leaf_twice(long v);
long leaf_thrice(long v);
long leaf_far(long v);

KEEP long leaf_twice(long v)
{
	__asm__ volatile("" : "+r"(v));
	return v * 2;
}

KEEP long leaf_thrice(long v)
{
	__asm__ volatile("" : "+r"(v));
	return v * 3;
}

__attribute__((aligned(4096))) KEEP long leaf_far(long v)
{
	__asm__ volatile("" : "+r"(v));
	return v * 4;
}
