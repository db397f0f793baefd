/* SPDX-License-Identifier: MIT */
/*
 * hot CALLS THREADS [HOW] [hooked|waiting]: calls hot() CALLS times in all and prints
 * the time it took, and the best time of a call, of slices of a millisecond or so: what
 * other programs take of the CPU is not in there. hot spin: keeps one CPU busy until it
 * is killed. HOW:
 *
 * loop		no call needs the result of another
 * chain	each call needs the result of the one before
 * deep		a loop below 17 more frames
 * expressed	the same, and 16 of the frames are found by a DWARF expression alone
 * paced	a loop that pauses after each slice, outside of the time, so that a
 *		consumer of what was recorded has nothing left to do when the next begins
 * noted	the call has a USDT probe instead, hot:::noted, behind its semaphore
 * each		a loop that takes the time of each call, with a line before the other: of
 *		the first call, and the median of the thousand that follow a hundred
 * clock	clock_gettime() in the place of a call; clocks: twice
 * counter	the time-stamp counter in the place of a call; counters: twice
 *
 * hot() begins with endbr64, which a tracer can emulate by moving rip alone: the
 * floor of breakpoints then has nothing to do beyond the stop itself.
 *
 * hooked: hot() jumps to a trampoline of our own, the least that a hook which runs
 * C code can do: registers saved in memory of the thread, the stack switched, a
 * function called that counts for the thread, all restored. The floor of hooks.
 *
 * waiting: all threads are there when it prints a line; they call hot() after a line
 * on standard input, and end at its end.
 */
#include <asm/prctl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

long hot(long v);
extern char trampoline[];
__asm__(".pushsection .text\n"
	".globl hot\n.type hot, @function\n.p2align 4\n"
	"hot:\n\t.cfi_startproc\n\tendbr64\n\tlea 1(%rdi), %rax\n\tret\n"
	"\t.cfi_endproc\n"
	".size hot, . - hot\n"
	".p2align 4\n" /* room for a jump at the ret */
	"trampoline:\n"
	"\tmov %rax, %gs:0\n\tmov %gs:8, %rax\n"
	"\tmov %rbx, 16(%rax)\n\tmov %rsp, %rbx\n\tlea 8192(%rax), %rsp\n"
	"\tpushfq\n\tmov %rcx, 24(%rax)\n\tmov %rdx, 32(%rax)\n"
	"\tmov %rsi, 40(%rax)\n\tmov %rdi, 48(%rax)\n\tmov %rbp, 56(%rax)\n"
	"\tmov %r8, 64(%rax)\n\tmov %r9, 72(%rax)\n\tmov %r10, 80(%rax)\n"
	"\tmov %r11, 88(%rax)\n\tmov %r12, 96(%rax)\n\tmov %r13, 104(%rax)\n"
	"\tmov %r14, 112(%rax)\n\tmov %r15, 120(%rax)\n"
	"\tmov %rax, %rbp\n\tmov %rax, %rdi\n\tpush %rax\n\tcall count\n\tpop %rax\n"
	"\tmov %rbp, %rcx\n"
	"\tmov 120(%rcx), %r15\n\tmov 112(%rcx), %r14\n\tmov 104(%rcx), %r13\n"
	"\tmov 96(%rcx), %r12\n\tmov 88(%rcx), %r11\n\tmov 80(%rcx), %r10\n"
	"\tmov 72(%rcx), %r9\n\tmov 64(%rcx), %r8\n\tmov 56(%rcx), %rbp\n"
	"\tmov 48(%rcx), %rdi\n\tmov 40(%rcx), %rsi\n\tmov 32(%rcx), %rdx\n"
	"\tmov 8184(%rcx), %eax\n\txchg %al, %ah\n\tand $8, %al\n\tadd $0x78, %al\n"
	"\tsahf\n\tmov %gs:0, %rax\n\tmov %rbx, %rsp\n"
	"\tmov %gs:16, %rbx\n\tmov %gs:24, %rcx\n"
	"\tendbr64\n\tlea 1(%rdi), %rax\n\tjmp hot + 8\n"
	".popsection\n");

/* A site as <sys/sdt.h> makes it, with its argument in a register. */
extern volatile uint16_t hot_semaphore;
__asm__(".pushsection .probes, \"aw\", \"progbits\"\n"
	".globl hot_semaphore\nhot_semaphore: .2byte 0\n"
	".popsection\n");

static __attribute__((noinline)) long noted(long v)
{
	if (__builtin_expect(hot_semaphore, 0))
		__asm__ volatile("990:\tnop\n"
				 ".pushsection .note.stapsdt, \"\", \"note\"\n"
				 ".balign 4\n"
				 ".4byte 992f - 991f, 994f - 993f, 3\n"
				 "991: .asciz \"stapsdt\"\n"
				 "992: .balign 4\n"
				 "993: .8byte 990b, 0, hot_semaphore\n"
				 ".asciz \"hot\", \"noted\", \"-8@%0\"\n"
				 "994: .balign 4\n"
				 ".popsection\n" ::"r"(v));
	return v + 1;
}

static long noted_loop(long calls)
{
	long v = 0;

	for (long i = 0; i < calls; i++)
		v += noted(i) - i;
	return v;
}

/* What the trampoline finds at %gs:0; its stack is at the end. */
struct area {
	uint64_t rax;
	struct area *self;
	uint64_t saved[14];
	uint64_t count;
	_Alignas(128) unsigned char stack[8192 - 256];
};

void count(struct area *area);
__attribute__((noinline)) void count(struct area *area)
{
	area->count++;
}

#define SLICE 10000

static long calls_each;
static long (*calls_of)(long calls);
static int is_paced, is_hooked, is_waiting;
static pthread_barrier_t together;

/*
 * The compiler is not to see where it writes: a tracer takes code that is written to by
 * its address for data, and sets no jump there.
 */
static void hook(void)
{
	unsigned char jump[5] = {0xe9}, *at = (unsigned char *)(uintptr_t)hot;
	int32_t distance = (int32_t)((intptr_t)trampoline - ((intptr_t)hot + 5));
	uintptr_t page = (uintptr_t)hot & ~(uintptr_t)4095;

	memcpy(jump + 1, &distance, sizeof(distance));
	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		exit(1);
	__asm__("" : "+r"(at));
	memcpy(at, jump, sizeof(jump));
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long loop(long calls)
{
	long v = 0;

	for (long i = 0; i < calls; i++)
		v += hot(i) - i;
	return v;
}

static long chain(long calls)
{
	long v = 0;

	for (long i = 0; i < calls; i++)
		v = hot(v);
	return v;
}

#define EACH_FIRST 100
#define EACH	   1000

static int ascending(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

static long each(long calls)
{
	static long long took[EACH_FIRST + EACH];
	long v = 0;

	memset(took, 1, sizeof(took)); /* its pages are there */
	for (long i = 0; i < calls; i++) {
		long long start = now();

		v += hot(i) - i;
		if (i < EACH_FIRST + EACH)
			took[i] = now() - start;
	}
	qsort(took + EACH_FIRST, EACH, sizeof(*took), ascending);
	printf("first %lld later %lld ns\n", took[0], took[EACH_FIRST + EACH / 2]);
	return v;
}

static long clock_loop(long calls, long reads)
{
	struct timespec t;
	long v = 0;

	for (long i = 0; i < calls; i++) {
		long ok = 0;

		for (long n = 0; n < reads; n++)
			ok += clock_gettime(CLOCK_MONOTONIC, &t) == 0;
		v += ok == reads;
	}
	return v;
}

static long clock_once(long calls)
{
	return clock_loop(calls, 1);
}

static long clock_twice(long calls)
{
	return clock_loop(calls, 2);
}

static uint64_t counter(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static long counter_once(long calls)
{
	long v = 0;

	for (long i = 0; i < calls; i++)
		v += counter() != 0;
	return v;
}

static long counter_twice(long calls)
{
	long v = 0;

	for (long i = 0; i < calls; i++) {
		uint64_t first = counter();

		v += counter() - first < UINT64_MAX / 2;
	}
	return v;
}

static const struct {
	const char *how;
	long (*calls_of)(long calls);
} kinds[] = {
	{"loop", loop},
	{"chain", chain},
	{"deep", loop},
	{"expressed", loop},
	{"paced", loop},
	{"noted", noted_loop},
	{"each", each},
	{"clock", clock_once},
	{"clocks", clock_twice},
	{"counter", counter_once},
	{"counters", counter_twice},
};

static void pause_for_consumer(void)
{
	const struct timespec t = {.tv_nsec = 40000000};

	nanosleep(&t, NULL);
}

/* All calls of a thread; ps of each of the best slice to *best. */
static __attribute__((noinline)) long slices(long *best)
{
	long n = calls_each < SLICE ? calls_each : SLICE, v = 0;

	*best = 0;
	for (long done = 0; done < calls_each; done += n) {
		long long start = now();
		long ps;

		if (n > calls_each - done)
			n = calls_each - done;
		v += calls_of(n);
		ps = (long)((now() - start) * 1000 / n);
		*best = *best && *best < ps ? *best : ps;
		if (is_paced)
			pause_for_consumer();
	}
	return v;
}

/* Frames of different sizes, none of them kept by rbp. */
static __attribute__((noinline)) long dive(long depth, long *best)
{
	volatile char room[64];
	long v = depth ? dive(depth - 1, best) : slices(best);

	room[0] = (char)v;
	__asm__ volatile("" ::"r"(room) : "memory");
	return v;
}

long slices_below(long *best);
long slices_below(long *best)
{
	return slices(best);
}

/*
 * dive() with frames that only an expression finds:
 * CFA = rsp + 8 * the word at rsp + 8, which is 4.
 */
long dive_expressed(long depth, long *best);
__asm__(".pushsection .text\n"
	".globl dive_expressed\n.type dive_expressed, @function\n"
	"dive_expressed:\n\t.cfi_startproc\n"
	"\tpushq $0\n\t.cfi_adjust_cfa_offset 8\n"
	"\tpushq $4\n\t.cfi_adjust_cfa_offset 8\n"
	"\tpushq $0\n"
	"\t.cfi_escape 0x0f, 8, 0x77, 0, 0x77, 8, 0x06, 0x33, 0x24, 0x22\n"
	"\ttest %rdi, %rdi\n\tjz 1f\n"
	"\tdec %rdi\n\tcall dive_expressed\n\tjmp 2f\n"
	"1:\tmov %rsi, %rdi\n\tcall slices_below\n"
	"2:\tadd $24, %rsp\n\t.cfi_def_cfa 7, 8\n"
	"\tret\n\t.cfi_endproc\n"
	".size dive_expressed, . - dive_expressed\n"
	".popsection\n");

static long (*dive_of)(long depth, long *best);

static void *work(void *best)
{
	struct area *area = aligned_alloc(4096, 8192);
	long v;

	memset(area, 0, 8192);
	area->self = area;
	if (is_hooked && syscall(SYS_arch_prctl, ARCH_SET_GS, area))
		exit(1);
	pthread_barrier_wait(&together);
	v = dive_of ? dive_of(15, best) : slices(best);
	if (is_waiting) {
		pthread_barrier_wait(&together);
		pthread_barrier_wait(&together);
	}
	if (v != calls_each || (is_hooked && area->count != (uint64_t)calls_each)) {
		fprintf(stderr, "hot: %ld calls seen\n", v);
		exit(1);
	}
	return NULL;
}

static void wait_for_input(void)
{
	puts("");
	fflush(stdout);
	getchar();
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t t[64];
	long best[64], sum = 0;
	long long start;

	if (argc > 1 && !strcmp(argv[1], "spin"))
		for (;;)
			;
	if (argc < 3 || argc > 5 || threads < 1 || threads > 64)
		return 2;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argc > 3 ? argv[3] : "loop", kinds[i].how))
			calls_of = kinds[i].calls_of;
	if (!calls_of)
		return 2;
	is_paced = argc > 3 && !strcmp(argv[3], "paced");
	if (argc > 3 && !strcmp(argv[3], "deep"))
		dive_of = dive;
	if (argc > 3 && !strcmp(argv[3], "expressed"))
		dive_of = dive_expressed;
	is_hooked = argc > 4 && !strcmp(argv[4], "hooked");
	is_waiting = argc > 4 && !strcmp(argv[4], "waiting");
	if (is_hooked)
		hook();
	calls_each = atol(argv[1]) / threads;
	pthread_barrier_init(&together, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, &best[i]);
	if (is_waiting)
		wait_for_input();
	start = now();
	pthread_barrier_wait(&together);
	if (is_waiting) {
		pthread_barrier_wait(&together);
		wait_for_input();
		pthread_barrier_wait(&together);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(t[i], NULL);
		sum += best[i];
	}
	printf("calls %ld ns %lld best %ld ps\n", calls_each * threads, now() - start,
	       sum / threads);
	return 0;
}
