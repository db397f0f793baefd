/* SPDX-License-Identifier: MIT */
/* main calls f once and prints nothing. */
#include "../truth.h"

KEEP int f(int v)
{
	return v + 1;
}

int main(void)
{
	return f(-1) != 0; /* compared, so that it is no tail call */
}
