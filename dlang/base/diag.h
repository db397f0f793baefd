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
/*
 * Prepares a line that says what to write instead. It follows the source line of the
 * error that is reported next, and is dropped if that one is not shown.
 */
void diag_hint(struct dlang *d, const char *fmt, ...) ATTR_PRINTF(2, 3);
/* Reports the error of a callback, with its tag, or D_UNKNOWN if it has none. */
int diag_err(struct dlang *d, const struct ast_pos *pos, const struct err *e);
/* Keeps the diagnostic for dlang_unsettled(); it is no error of this compilation. */
void diag_unsettled(struct dlang *d, const struct ast_pos *pos, const struct err *e);
/*
 * Keeps an error until diag_flush(): the program is right, but cannot be run here. Later
 * errors come first, so they decide.
 */
void diag_late(struct dlang *d, const struct ast_pos *pos, const char *tag,
	       const char *fmt, ...) ATTR_PRINTF(4, 5);
/* Whether errors are kept: no code is needed. */
bool diag_has_late(const struct dlang *d);
/* At the end of a program: reports what diag_late() kept, if nothing else is wrong. */
void diag_flush(struct dlang *d);
/* Sets the part of the clause for the errors that follow; returns the previous one. */
enum diag_part diag_part(struct dlang *d, enum diag_part part);
/* The number of errors in this compilation so far, those above DIAG_MAX included. */
uint32_t diag_count(const struct dlang *d);

#endif
