/* SPDX-License-Identifier: MIT */
/*
 * Debug files of servers, by libdebuginfod: if the user has set DEBUGINFOD_URLS.
 */
#ifndef SYMBOLS_ELF_DEBUGINFOD_H
#define SYMBOLS_ELF_DEBUGINFOD_H

#include "symbols/elf/elf.h"

/*
 * Fetches the debug file with the build-id of f, and sets *ns to how long that took. If
 * true, *out is open. False without DEBUGINFOD_URLS, without the library, and if no
 * server has the file. budget_is_over() ends the wait.
 */
bool debuginfod_open(const struct elf_file *f, struct elf_file *out, uint64_t *ns);

#endif
