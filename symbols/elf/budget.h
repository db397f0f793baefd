/* SPDX-License-Identifier: MIT */
/*
 * How much of a file may be read, inflated and kept. A file is not trusted: what its
 * tables claim may exceed what it has, for they may lie in a hole, overlap, or be
 * compressed. So each open file has a budget in bytes. Without a limit of the user
 * (symbols_set_limits()) it follows the true size of the file, which is its size without
 * holes; all files together have a limit as well.
 *
 * Every reader asks before it reads or allocates. Once refused, it goes on with what it
 * has. The first refusal of a file is reported.
 *
 * One thread reads files, and others may read ahead of it (budget_read_ahead()).
 */
#ifndef SYMBOLS_ELF_BUDGET_H
#define SYMBOLS_ELF_BUDGET_H

#include <stdatomic.h>

#include "vm/base/base.h"

struct budget {
	char *path;	     /* for messages; owned */
	uint64_t max, spent; /* bytes */
	bool is_hollow;	     /* the file is almost all holes */
	bool is_refused;     /* something was left out */
};

/* Sets *b for the file at path that fd refers to. budget_release() frees it. */
void budget_init(struct budget *b, int fd, const char *path);
/* The file is closed: what was spent on it returns to the limit of all files. */
void budget_release(struct budget *b);

/*
 * Takes n bytes for what, a word for messages: "its symbol table". False, and a report,
 * if the file or the run has none left; also, without a report, if reading is to end
 * (budget_is_over()).
 */
bool budget_take(struct budget *b, uint64_t n, const char *what);
/* Reports, without a question, that n bytes of what are left out. */
void budget_refuse(struct budget *b, uint64_t n, const char *what);
/* n bytes stay in use when the file is closed, until budget_forget() of as many. */
void budget_keep(uint64_t n);
void budget_forget(uint64_t n);

/* A file that a thread reads ahead of the one that wants it. */
struct budget_ahead {
	const atomic_bool *is_stopped; /* reading is to end */
	bool is_refused; /* something was left out; reading ends, without a report */
};

/*
 * From now on this thread reads ahead; NULL: for itself. What is read ahead takes no more
 * than half of the limit of all files. So another thread that comes to the limit can have
 * all that is left by limits.h's make_room().
 */
void budget_read_ahead(struct budget_ahead *of);

/* Whether reading is to end: the user has asked for it. Cheap enough for inner loops. */
bool budget_is_over(void);

#endif
