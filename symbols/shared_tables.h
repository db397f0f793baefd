/* SPDX-License-Identifier: MIT */
/*
 * The life of the tables of functions that modules of one file share
 * (module_share_symbols()).
 */
#ifndef SYMBOLS_SHARED_TABLES_H
#define SYMBOLS_SHARED_TABLES_H

#include "symbols/symbols.h"

/* Sets the stamp of m from its file; before its functions are loaded. */
void share_stamp(struct module *m);
/* Last use of struct same_file by m, which is freed. */
void share_leave_file(struct module *m);
/* The functions of m are loaded: other modules of its file may borrow them. */
void share_offer(struct module *m);
/*
 * First step of module_free(). True: other modules use the tables of m, which must be
 * kept; it is freed with the last of them. False: it can be freed now, and no longer
 * points to tables that it borrowed.
 */
bool share_keeps(struct module *m);

#endif
