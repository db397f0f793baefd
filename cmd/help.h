/* SPDX-License-Identifier: MIT */
/* The texts of --help and --version. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "vm/base/host/strbuf.h"

/* Appends the usage: the switches, one line each. command: the name to show. */
void help_usage(struct strbuf *out, const char *command);
/* Appends what --help prints: three examples, then the usage. */
void help_text(struct strbuf *out, const char *command);
/* Appends what --version prints. */
void help_version(struct strbuf *out, const char *command);

#endif
