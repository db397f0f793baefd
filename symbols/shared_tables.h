/* SPDX-License-Identifier: MIT */
/*
 * The life of tables that modules of one file share. Used by load.c and module.c.
 */
#ifndef SYMBOLS_SHARED_TABLES_H
#define SYMBOLS_SHARED_TABLES_H

#include "symbols/symbols.h"

/* Notes what the file is like whose functions are being loaded. */
void share_stamp(struct module *m);
/*
 * Its owner frees the module. True: it lends its tables and is kept until the last
 * borrower is freed. Else what it has borrowed is no longer its own to release.
 */
bool share_keeps(struct module *m);

#endif
