/* SPDX-License-Identifier: MIT */
/*
 * It says that it is Python 3.MINOR. Its structures are where an interpreter of 3.11 has
 * them, as far as they are read, but each chain leads back to where it was, and texts are
 * longer than the memory that there is.
 * main calls f, f calls g.
 */
#include "../truth.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned Py_Version = 3u << 24 | MINOR << 16;
uint64_t _PyRuntime[16];

static uint64_t interpreter[8], thread[24], frame[10], code[40], text[80], lines[8];

static uint64_t at(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void make(uint64_t *cframe)
{
	_PyRuntime[5] = at(interpreter);
	interpreter[0] = at(interpreter);
	interpreter[2] = at(thread);
	thread[1] = at(thread);
	thread[20] = (uint64_t)syscall(SYS_gettid);
	thread[7] = at(cframe);
	cframe[1] = at(frame);
	cframe[2] = at(cframe);
	frame[4] = at(code);
	frame[6] = at(frame);
	frame[7] = UINT64_MAX / 2;
	code[14] = at("none");
	code[16] = at(text);
	code[17] = at(lines);
	text[2] = 1 << 30; /* characters of four bytes: an escape, and A */
	text[4] = 4 << 2 | 1 << 5;
	for (int i = 9; i < 80; i++)
		text[i] = 0x4100000000 | 0x1b;
	lines[2] = UINT64_MAX;
}

KEEP int g(int v)
{
	return v + 1;
}

KEEP int f(int v)
{
	uint64_t cframe[3] = {0};

	make(cframe);
	v = g(v) + 1;
	__asm__ volatile("" ::"m"(cframe), "r"(&cframe[0]));
	return v;
}

int main(void)
{
	return f(-2) != 0;
}
