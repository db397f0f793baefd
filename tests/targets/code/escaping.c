/* SPDX-License-Identifier: MIT */
/*
 * A program all of whose names have a part that tests write control characters over:
 * its functions, one that is inlined, one that it makes at run time, a variable, types,
 * members, enumerators, a local variable, source file, probes and thread.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../truth.h"

#define PAGE 4096

__asm__(".pushsection .text\n"
	".globl own_probe\n"
	".type own_probe, @function\n"
	"own_probe:\n"
	"990:	nop\n"
	"	ret\n"
	".size own_probe, . - own_probe\n"
	".popsection\n"
	".pushsection .note.stapsdt, \"\", \"note\"\n"
	".balign 4\n"
	".4byte 992f - 991f, 994f - 993f, 3\n"
	"991: .asciz \"stapsdt\"\n"
	"992: .balign 4\n"
	"993: .8byte 990b, 0, 0\n"
	".asciz \"escaping\"\n"
	".asciz \"probe_CONTROLBYTES_X\"\n"
	".asciz \"8@%rdi\"\n"
	"994: .balign 4\n"
	".popsection\n");

void own_probe(void *p);

enum enum_CONTROLBYTES_X { enumerator_CONTROLBYTES_X = 7 };

struct type_CONTROLBYTES_X {
	enum enum_CONTROLBYTES_X member_CONTROLBYTES_X;
	char text[24];
};

volatile long variable_CONTROLBYTES_X;

#line 1 "source_CONTROLBYTES_X.c"
ALWAYS_INLINE long inlined_CONTROLBYTES_X(long n)
{
	own_probe(NULL);
	for (volatile long i = 0; i < 3; i++)
		variable_CONTROLBYTES_X += n;
	return variable_CONTROLBYTES_X;
}

KEEP long function_CONTROLBYTES_X(struct type_CONTROLBYTES_X *argument_CONTROLBYTES_X)
{
	volatile long local_CONTROLBYTES_X = argument_CONTROLBYTES_X->text[0];

	own_probe(argument_CONTROLBYTES_X);
	return inlined_CONTROLBYTES_X(local_CONTROLBYTES_X) + local_CONTROLBYTES_X;
}

/* Nothing calls it. */
KEEP long unused_CONTROLBYTES_X(void)
{
	return 1;
}
#line 74 "escaping.c"

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
static char text[] = "text_CONTROLBYTES_X";

/* A function that has a name in a perf map only, which whoever started this removes. */
static void *make(void)
{
	unsigned char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
	map = fd < 0 ? NULL : fdopen(fd, "w");
	if (p == MAP_FAILED || !map)
		exit(2);
	memcpy(p, code, sizeof(code));
	fprintf(map, "%lx %zx made_CONTROLBYTES_X\n", (unsigned long)p, sizeof(code));
	fclose(map);
	return p;
}

KEEP void called_by_made(void)
{
	own_probe(NULL);
}

int main(void)
{
	struct type_CONTROLBYTES_X x = {enumerator_CONTROLBYTES_X, ""};
	void (*made)(void (*f)(void)) = make();

	memcpy(x.text, text, sizeof(text));
	prctl(PR_SET_NAME, "CONTROLBYTES_X");
	for (int i = 0; i < 3; i++) {
		function_CONTROLBYTES_X(&x);
		made(called_by_made);
	}
	return 0;
}
