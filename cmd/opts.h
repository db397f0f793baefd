/* SPDX-License-Identifier: MIT */
/*
 * The command line, sorted: what mode, which settings, targets and programs,
 * each in the order given. Nothing is opened or checked beyond its syntax.
 */
#ifndef CMD_OPTS_H
#define CMD_OPTS_H

#include "vm/base/base.h"
#include "vm/base/host/strbuf.h"

enum opts_mode {
	OPTS_TRACE,
	OPTS_LIST,    /* -l */
	OPTS_COMPILE, /* -e */
	OPTS_VERSION, /* -V */
	OPTS_HEADER,  /* -h; output is never NULL then */
	OPTS_OBJECT,  /* -G; the same; operands are object files */
	OPTS_EXPLAIN, /* --explain: its argument is one of the programs */
	OPTS_DIFF,    /* --diff: its argument, and an operand, are files */
	OPTS_HELP,    /* --help: what follows it is not looked at */
	OPTS_RELEASE, /* --version; the same */
};

/* An option set by a switch: -x name[=value], or one of those that mean an option. */
struct opts_setting {
	char *name;	   /* owned */
	const char *value; /* NULL: none given */
	const char *shown; /* in "failed to set SHOWN": "-x", "-b" ... */
	const char *arg;   /* the switch's argument as shown after it, NULL none */
};

/* -c command, the words after --, -p pid, -p name or -W name. */
struct opts_target {
	const char *command; /* NULL: no -c */
	char **words;	     /* from main.c; NULL: none */
	const char *name;    /* NULL: pid has the number */
	int pid;
	bool is_awaited; /* -W */
};

/* -s -n -f -m -P -i: the switch and its argument. */
struct opts_program {
	char letter;
	const char *text;
};

struct opts {
	const char *argv0, *command; /* the second is the base name of the first */
	enum opts_mode mode;
	bool is_verbose;    /* -v */
	const char *output; /* -o, or NULL */
	const char *diff;   /* the argument of --diff */
	char *derived;	    /* output of -h or -G without -o; owned */
	struct {
		struct opts_setting *data;
		size_t len, cap;
	} settings;
	struct {
		struct opts_target *data;
		size_t len, cap;
	} targets;
	struct {
		struct opts_program *data;
		size_t len, cap;
	} programs;
	struct {
		char **data; /* $1 ..., terminated by NULL */
		size_t len, cap;
	} operands;
	/* How many of the operands, the last ones, follow "--": they may be a command. */
	size_t nafter;
};

/*
 * Sorts argv; pointers into it are borrowed. Returns 0, or the exit status of
 * the command with what belongs on stderr in messages.
 */
int opts_parse(struct opts *o, int argc, char **argv, struct strbuf *messages);
void opts_release(struct opts *o);

#endif
