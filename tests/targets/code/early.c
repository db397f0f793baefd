/* SPDX-License-Identifier: MIT */
/* What runs before main, and in it: a constructor calls early(), main calls late(). */
#include "../truth.h"

static unsigned long n_early, n_late;

KEEP void early(void)
{
	hit(&n_early);
}

KEEP void late(void)
{
	hit(&n_late);
}

__attribute__((constructor)) static void construct(void)
{
	early();
	early();
}

int main(void)
{
	late();
	truth("early", &n_early);
	truth("late", &n_late);
	return 0;
}
