/* SPDX-License-Identifier: MIT */
/*
 * Threads count in add(), a restartable sequence (rseq(2)) as allocators have them: no
 * count is lost, because the kernel begins it again when a thread is stopped in it. Prints
 * the calls of add(), and the sum, then where the sequence and what belongs to it are:
 * the instruction that arms it, its end, the signature and the abort handler, in hex.
 * Status 77: the C library has not registered the threads.
 */
#include "../truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#define THREADS 4
#define CPUS	1024

static struct {
	long n;
	char pad[56];
} counts[CPUS] __attribute__((aligned(64)));
static unsigned long calls;
static long turns, rseq_offset;
extern const char arm[], begin[], end[], trap[], handler[];

/* rdi: the struct rseq, rsi: counts. 0: the thread was interrupted. */
long add(void *rseq, void *table);

__asm__(".pushsection __rseq_cs, \"aw\"\n"
	".balign 32\n"
	"descriptor: .long 0, 0\n"
	"	.quad begin, end - begin, handler\n"
	".popsection\n"
	".pushsection .text\n"
	".globl add\n"
	".type add, @function\n"
	"add:	lea descriptor(%rip), %rax\n"
	"arm:	mov %rax, 8(%rdi)\n"
	"begin:	mov 4(%rdi), %eax\n"
	"	and $1023, %eax\n"
	"	shl $6, %rax\n"
	"	add %rsi, %rax\n"
	"	mov (%rax), %rcx\n"
	"	add $1, %rcx\n"
	"	mov %rcx, (%rax)\n"
	"end:	mov $1, %eax\n"
	"	ret\n"
	"trap:	.byte 0x0f, 0xb9, 0x3d\n" /* ud1, with the signature */
	"	.long 0x53053053\n"
	"handler: xor %eax, %eax\n"
	"	ret\n"
	".size add, . - add\n"
	".popsection\n");

static void *count(void *arg)
{
	char *thread = __builtin_thread_pointer();

	for (long i = 0; i < turns; i++)
		do
			hit(&calls);
		while (!add(thread + rseq_offset, counts));
	return arg;
}

int main(void)
{
	const long *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
	const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");
	pthread_t threads[THREADS];
	long sum = 0;

	if (!offset || !size || !*size)
		return 77;
	rseq_offset = *offset;
	turns = turns_of(500);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < CPUS; i++)
		sum += counts[i].n;
	truth("add", &calls);
	printf("lost %ld\n", THREADS * turns - sum);
	printf("at %lx %lx %lx %lx\n", arm - (const char *)(void *)add,
	       end - (const char *)(void *)add, trap - (const char *)(void *)add,
	       handler - (const char *)(void *)add);
	return 0;
}
