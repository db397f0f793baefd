/* SPDX-License-Identifier: MIT */
/*
 * Small programs made from source text in a directory of their own, and run.
 */
#ifndef TESTS_UNIT_SUPPORT_SYMBOLS_BUILD_H
#define TESTS_UNIT_SUPPORT_SYMBOLS_BUILD_H

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char work_dir[64];

int work_dir_make(void **state);

int work_dir_remove(void **state);

/* The path of a name in the directory; good until the eighth call after. */
const char *in_dir(const char *name);

/* Runs a shell command in the directory; false when it fails. */
int shell(const char *command);

void write_file(const char *name, const void *data, size_t n);

/* NAME.c of the text, and cc with the arguments. */
int compile(const char *name, const char *source, const char *args);

/* A program that writes one byte when it is ready and ends with its input. */
struct running {
	int pid;
	int in, out;
};

struct running run_program(const char *path);

void end_program(struct running *r);

/* main() of such a program, to append to its functions. */
#define MAIN_WAITS                                                                     \
	"#include <unistd.h>\n"                                                        \
	"int main(void) { char c; return write(1, \"r\", 1) != 1 || "                  \
	"read(0, &c, 1) < 0; }\n"

/* The next number of the sequence that *seed (not 0) is at, below the bound (xorshift). */
uint64_t draw(uint64_t *seed, uint64_t below);

#endif
