/* SPDX-License-Identifier: MIT */
/* A program that uses the GS base itself, as emulators do: no jumps can be placed. */
#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../truth.h"

static unsigned long area[8];

KEEP int work(int v)
{
	return v + 1;
}

int main(void)
{
	syscall(SYS_arch_prctl, ARCH_SET_GS, area);
	for (int i = 0; i < 6000; i++)
		usleep(10000 * (unsigned)work(0));
	return 0;
}
