/* SPDX-License-Identifier: MIT */
/* Addresses of all kinds, one after the other: stubs, the vdso, data, nothing. */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../restorer.h"
#include "../truth.h"

static int number = 5;

KEEP void look(const char *what, uintptr_t at)
{
	__asm__ volatile("" : : "r"(what), "r"(at) : "memory");
}

KEEP int own(int n)
{
	return n + number;
}

static void handle(int sig)
{
	number += sig;
}

int main(void)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	uintptr_t in_vdso = vdso ? (uintptr_t)dlsym(vdso, "__vdso_clock_gettime") : 0;
	int local = 0;

	look("own", (uintptr_t)own);
	look("inside", (uintptr_t)own + 1);
	look("stub", (uintptr_t)abort); /* this program is linked for one address */
	look("library", (uintptr_t)dlsym(RTLD_NEXT, "abort"));
	look("vdso", in_vdso);
	look("restorer", restorer(handle));
	look("data", (uintptr_t)&number);
	look("stack", (uintptr_t)&local);
	look("nothing", 0);
	look("no address", UINTPTR_MAX / 2 + 3);
	return own(local) == 0;
}
