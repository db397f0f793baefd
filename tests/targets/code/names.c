/* SPDX-License-Identifier: MIT */
/*
 * Functions whose names, sizes and kinds are out of the ordinary. Each is called once
 * by main, apart from those that cannot be.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../truth.h"

static volatile int sink;

KEEP int strong(int v)
{
	sink += v;
	return v + 1;
}

int weak_name(int v) __attribute__((weak, alias("strong")));
int other_name(int v) __attribute__((alias("strong")));

KEEP int größe(int v)
{
	sink += v;
	return v + 2;
}

/* what the start-up files call so as well */
static KEEP int _init(int v)
{
	sink += v;
	return v + 3;
}

static KEEP int _fini(int v)
{
	sink += v;
	return v + 4;
}

/* main keeps its copy for one constant, and calls that */
static __attribute__((noinline, used)) int cloned(int v, int by)
{
	sink += v;
	return v * by + by;
}

KEEP __attribute__((noreturn)) void never_returns(int v)
{
	sink += v;
	_exit(3);
}

int sizeless(void);
int trapping(int v);
__asm__(".text\n"
	".globl sizeless\n"
	".type sizeless, @function\n"
	"sizeless:\n"
	"	mov $1, %eax\n"
	"	ret\n"
	/* an instruction for debuggers inside a function, and one after it */
	".globl trapping\n"
	".type trapping, @function\n"
	"trapping:\n"
	"	test %edi, %edi\n"
	"	je 1f\n"
	"	int3\n"
	"1:	mov $2, %eax\n"
	"	ret\n"
	".size trapping, . - trapping\n");

/* The library's own, chosen when the program starts: there is no stub of it to trace. */
static KEEP size_t length(const char *s)
{
	return strlen(s) + 1;
}

int main(int argc, char **argv)
{
	sink += strong(1) + größe(2) + _init(3) + _fini(4);
	sink += weak_name(5) + other_name(6);
	sink += cloned(argc, 7) + sizeless() + trapping(0);
	sink += (int)length(argv[0]);
	never_returns(1);
}
