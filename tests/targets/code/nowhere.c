/* SPDX-License-Identifier: MIT */
/* Calls functions where there is no code, and survives: NULL, then an unmapped address. */
#include <setjmp.h>
#include <signal.h>

#include "../truth.h"

static sigjmp_buf back;
static volatile int sink;

static void on_fault(int sig)
{
	siglongjmp(back, sig);
}

KEEP void commit(void (*volatile *f)(void))
{
	(*f)();
	sink++;
}

KEEP void work(void (*volatile *f)(void))
{
	commit(f);
	sink++;
}

int main(void)
{
	static void (*volatile calls[2])(void) = {NULL, (void (*)(void))0x10000};

	signal(SIGSEGV, on_fault);
	for (volatile int i = 0; i < 2; i++)
		if (!sigsetjmp(back, 1))
			work(&calls[i]);
	return 0;
}
