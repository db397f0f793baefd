/* SPDX-License-Identifier: MIT */
/* Sleeps until a signal ends it; for tests of attaching and of messages. */
#include <unistd.h>

#include "../truth.h"

KEEP void nap(void)
{
	pause();
}

int main(void)
{
	for (;;)
		nap();
}
