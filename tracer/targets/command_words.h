/* SPDX-License-Identifier: MIT */
/* The words of the command of -c. */
#ifndef TRACER_TARGETS_COMMAND_WORDS_H
#define TRACER_TARGETS_COMMAND_WORDS_H

#include "vm/base/host/err.h"

/*
 * Splits a command at blanks. Quotes and backslashes mean what they mean to a shell: '...'
 * is taken as it is; in "..." a backslash protects " \ $ and `; elsewhere it protects any
 * character. Nothing is expanded. *words ends in NULL and is freed by
 * command_words_free(). INVAL: there is no word, or a quote is not closed.
 */
int command_words(const char *command, char ***words, struct err *e);
void command_words_free(char **words);

#endif
