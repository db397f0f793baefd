/* SPDX-License-Identifier: MIT */
/*
 * Probes with notes as those of <sys/sdt.h>, written by hand: every form of an operand at
 * a site where each register and each word is known; one that has a semaphore; and notes
 * that no compiler makes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../notes.h"

uint64_t table[8] = {0x1011121314151617, 0x2021222324252627, 0x3031323334353637,
		     0xf0f1f2f3f4f5f6f7};
const double numbers[2] = {2.5, -0.125};
const float small_numbers[2] = {1.5f, -3.25f};

__asm__(".macro note provider:req name:req args sem=0\n"
	"990:	nop\n"
	".pushsection .note.stapsdt, \"\", \"note\"\n"
	".balign 4\n"
	".4byte 992f - 991f, 994f - 993f, 3\n"
	"991: .asciz \"stapsdt\"\n"
	"992: .balign 4\n"
	"993: .8byte 990b, base_of_notes, \\sem\n"
	".asciz \"\\provider\"\n"
	".asciz \"\\name\"\n"
	".asciz \"\\args\"\n"
	"994: .balign 4\n"
	".popsection\n"
	".endm\n");

void forms(const void *words, const double *numbers, const float *small_numbers);

__asm__(".text\n"
	".globl forms\n"
	".type forms, @function\n"
	"forms:\n"
	".cfi_startproc\n"
	"	push %rbx\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %rbx, 0\n"
	"	push %r15\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %r15, 0\n"
	"	movsd (%rsi), %xmm0\n"
	"	movss (%rdx), %xmm1\n"
	"	movsd 8(%rsi), %xmm15\n"
	"	mov %rsp, %r11\n"
	"	movabs $0x81828384858687f8, %rax\n"
	"	movabs $-2, %rbx\n"
	"	mov $3, %ecx\n"
	"	movabs $0x0102030405060708, %r8\n"
	"	movabs $0xfffefdfcfbfaf9f8, %r9\n"
	"	movabs $0x7000000080000000, %r15\n"
	"	note noted registers \"8@%rax -8@%rbx 4@%eax -4@%eax 2@%ax -2@%ax "
	"1@%al -1@%al 1@%ah 8@%r15\"\n"
	"	note noted more__registers \"-4@%r9d 2@%r8w -1@%r9b 8@%rsp 8@%r11 "
	"4@%r15d %eax %ax -1@%dil 8@%rdi\"\n"
	"	note noted constants \"4@$5 -4@$-5 8@$0x10 -8@$-1 8@$table 8@$table+8 "
	"1@$255 -1@$255 $7 2@$-1\"\n"
	"	note noted memory \"8@(%rdi) 8@16(%rdi) -4@-20(%rdi,%rcx,8) "
	"8@table(%rip) 8@8+table(%rip) -2@table+30(%rip) 1@24(%rdi) 4@-8(%rdi,%rcx,4) "
	"8@0(%rdi) -1@table+24\"\n"
	"	note noted thread \"8@%fs:0 8@%fs:16 -4@-8(%rsp,%rcx) 8@%rsp "
	"8@(%r11)\"\n"
	"	note noted floats \"8f@%xmm0 4f@%xmm1 8f@8(%rsi) 4f@4(%rdx) "
	"8f@%xmm15\"\n"
	"	note noted strange \"16@%rax 8@foo! 3@%eax 8@%zax 8@*(%rax) "
	"8@absent(%rip) 8@%gs:0 8@%rax 8@(%eax) 8@(%rax,%rsp,8)\"\n"
	"	note noted unreadable \"8@(%rcx) 4@%ecx\"\n"
	"	note noted many \"4@$0 4@$1 4@$2 4@$3 4@$4 4@$5 4@$6 4@$7 4@$8 4@$9 "
	"4@$10 4@$11\"\n"
	"	note noted none \"\"\n"
	"	note syscall entry \"4@$1\"\n"
	"	note pid entry \"4@$1\"\n"
	"	pop %r15\n"
	".cfi_adjust_cfa_offset -8\n"
	"	pop %rbx\n"
	".cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size forms, . - forms\n"
	/* Notes of which nothing may be believed: see also tests/unit/symbols/notes.c. */
	".pushsection .note.stapsdt, \"\", \"note\"\n"
	".balign 4\n"
	".4byte 8, 32, 3\n"
	".asciz \"stapsdt\"\n"
	".8byte 0x1234567812345678, base_of_notes, 0\n" /* its site is nowhere */
	".asciz \"noted\", \"\", \"\"\n"
	".popsection\n");

/* The same probe at two sites, of which one has a wider argument. */
static void __attribute__((noinline)) twice(int n)
{
	long wide = n * 3L;

	__asm__ volatile("note noted twice \"-4@%%edi\"" ::"D"(n));
	__asm__ volatile("note noted twice \"-8@%%rdi\"" ::"D"(wide));
}

/* Only while someone listens. */
static void __attribute__((noinline)) guarded(int n)
{
	static unsigned prepared;

	if (!guarded_semaphore)
		return;
	prepared++;
	__asm__ volatile(
		"note noted guarded \"-4@%%edi 4@%%esi\" guarded_semaphore" ::"D"(n),
		"S"(prepared));
}

/*
 * noted [N]: N rounds, 3 unless said otherwise. noted 0: rounds without end. noted fork:
 * a child. In a library: as noted 3, when it is loaded.
 */
#ifdef PLUGIN
static void __attribute__((constructor)) loaded(void)
{
	for (int i = 0; i < 3; i++) {
		forms(table, numbers, small_numbers);
		twice(-i);
		guarded(i);
	}
}
#else
/* A child sees the semaphore as it would without a tracer, and hits the site. */
static void fork_child(void)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		guarded(7);
		_exit(guarded_semaphore);
	}
	waitpid(child, &status, 0);
	printf("child %d\n", status);
}

int main(int argc, char **argv)
{
	int is_number = argc > 1 && argv[1][0] >= '0' && argv[1][0] <= '9';
	long n = is_number ? strtol(argv[1], NULL, 10) : 3;
	int is_endless = n == 0;

	if (argc > 1 && strcmp(argv[1], "fork") == 0)
		fork_child();
	if (is_endless)
		printf("%p\n", (void *)(uintptr_t)&guarded_semaphore);
	fflush(stdout);
	for (long i = 0; i < n || is_endless; i++) {
		forms(table, numbers, small_numbers);
		twice((int)-i);
		guarded((int)i);
		if (is_endless)
			usleep(1000);
	}
	return 0;
}
#endif
