/* SPDX-License-Identifier: MIT */
/* Attacks on the resident block: what resident code and keeper share. */
#include "tests/attack/hostile.h"
#include "tests/attack/shared.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define TABLES_MAX (UINT64_C(1) << 19)
#define WORDS	   (sizeof(struct resident_block) / 8)

static struct resident_block *block(void)
{
	return region_of(RESIDENT_BLOCK_MAGIC);
}

/* header VALUE [WORD]: every word of the header, or that one. */
static const char *header(int argc, char **argv)
{
	uint64_t *words = (uint64_t *)(void *)block(), value = number_of(argc, argv, 0);

	if (!words)
		return "no resident block";
	if (argc > 1)
		poke64(words + number_of(argc, argv, 1) % WORDS, value);
	for (size_t i = 1; argc < 2 && i < WORDS; i++)
		poke64(words + i, value);
	return NULL;
}

/* tables VALUE: a word of each line after the header, up to a bound. */
static const char *tables(int argc, char **argv)
{
	struct resident_block *b = block();
	uint64_t value = number_of(argc, argv, 0);

	if (!b)
		return "no resident block";
	for (uint64_t at = RESIDENT_PAGE; at < TABLES_MAX; at += 64)
		poke64((unsigned char *)b + at, value);
	return NULL;
}

/* Every word of a TCB's gate and of what the keeper knows of the thread. */
static void spoil_tcb(struct resident_tcb *tcb, uint64_t value)
{
	uint64_t *words = (uint64_t *)(void *)tcb;
	size_t n = offsetof(struct resident_tcb, level) / 8;

	for (size_t i = 0; i < n; i++)
		poke64(words + i, value);
}

static uint64_t spoil_value;

static void *spoil_own(void *arg)
{
	struct resident_tcb *tcb;

	work(1);
	tcb = own_tcb();
	if (tcb)
		spoil_tcb(tcb, spoil_value);
	return arg;
}

/* tcbs VALUE N: N threads that each spoil their own TCB and end. */
static const char *tcbs(int argc, char **argv)
{
	pthread_t t;

	if (!block())
		return "no resident block";
	spoil_value = number_of(argc, argv, 0);
	for (unsigned long i = number_of(argc, argv, 1); i > 0; i--) {
		pthread_create(&t, NULL, spoil_own, NULL);
		pthread_join(t, NULL);
	}
	return NULL;
}

static atomic_ulong handled;

static void on_signal(int number)
{
	(void)number;
	handled++;
	work(2);
}

/* The gate says that the thread is inside, deep, while signals arrive. */
static void *lie_busy(void *arg)
{
	struct resident_tcb *tcb = own_tcb();

	for (uint32_t i = 0; tcb && i < 200; i++) {
		poke32(&tcb->gate.busy, i * 0x1001001u);
		poke32(&tcb->gate.idle, i % 3);
		poke32(&tcb->gate.pending, i);
		poke64(&tcb->level[0].regs, i * UINT64_C(0x123456789));
		raise(SIGUSR1);
		work(3);
	}
	return arg;
}

/* busy N: N threads that lie about where they are. */
static const char *busy(int argc, char **argv)
{
	pthread_t t;

	signal(SIGUSR1, on_signal);
	for (unsigned long i = number_of(argc, argv, 0); i > 0; i--) {
		pthread_create(&t, NULL, lie_busy, NULL);
		pthread_join(t, NULL);
	}
	return NULL;
}

const struct attack block_attacks[] = {
	{"header", header}, {"tables", tables}, {"tcbs", tcbs},
	{"busy", busy},	    {NULL, NULL},
};
