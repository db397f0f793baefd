/* SPDX-License-Identifier: MIT */
/* The words of the command of -c. */
#ifndef TRACER_TARGETS_COMMAND_WORDS_H
#define TRACER_TARGETS_COMMAND_WORDS_H

#include "vm/base/host/err.h"

/*
 * Splits a command at blanks. Quotes and backslashes mean what they mean to a shell: in
 * '...' nothing is special, in "..." a backslash protects " \ $ and `, elsewhere any
 * character. Nothing is expanded. *words ends in NULL; command_words_free() frees it.
 * INVAL: there is no word, or a quote is not closed.
 */
int command_words(const char *command, char ***words, struct err *e);
void command_words_free(char **words);

#endif
