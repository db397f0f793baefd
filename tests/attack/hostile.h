/* SPDX-License-Identifier: MIT */
/*
 * Attacks that the program hostile makes when a test says so. Each gets the words of its
 * command after its name.
 */
#ifndef TESTS_ATTACK_HOSTILE_H
#define TESTS_ATTACK_HOSTILE_H

struct attack {
	const char *name;
	/* NULL, or what this process lacks for it; then nothing was attacked. */
	const char *(*make)(int argc, char **argv);
};

/* Of each file; the last one has no name. */
extern const struct attack block_attacks[], state_attacks[], record_attacks[],
	text_attacks[], process_attacks[], scribble_attacks[], word_attacks[];

/* Traced functions: by jumps, by breakpoints, with a text. */
long work(long v);
long jab(long v);
long say(const char *text);

/* A number of a command: decimal, or hexadecimal after 0x; 0 without it. */
unsigned long number_of(int argc, char **argv, int index);

/* Makes n threads, one after another, that each call work() and jab(). */
void make_threads(unsigned long n);

#endif
