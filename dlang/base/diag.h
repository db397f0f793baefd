/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics of one compilation: the classic one-line message, then the source line
 * and a caret. An error is reported where it is found; later passes skip its node.
 */
#ifndef DLANG_BASE_DIAG_H
#define DLANG_BASE_DIAG_H

#include "dlang/base/session.h"
#include "vm/base/host/err.h"

/* Further diagnostics are counted but not printed. */
#define DIAG_MAX 20

/*
 * Reports an error at pos (NULL: no position). The text may have several lines; its
 * newlines and tabs are kept. An error with the position and the text of the one before
 * is dropped. Always returns STATUS_SYNTAX, for "return diag(...)".
 */
int diag(struct dlang *d, const struct ast_pos *pos, const char *tag, const char *fmt,
	 ...) ATTR_PRINTF(4, 5);
/* Reports the error of a callback, with its tag, or D_UNKNOWN if it has none. */
int diag_err(struct dlang *d, const struct ast_pos *pos, const struct err *e);
/* Keeps the diagnostic for dlang_unsettled(); it is no error of this compilation. */
void diag_unsettled(struct dlang *d, const struct ast_pos *pos, const struct err *e);
/* Sets the part of the clause for the errors that follow; returns the previous one. */
enum diag_part diag_part(struct dlang *d, enum diag_part part);
/* The number of errors in this compilation so far, those above DIAG_MAX included. */
uint32_t diag_count(const struct dlang *d);

#endif
