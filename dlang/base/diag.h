/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics of one compilation: the classic one-line message, then the
 * source line and a caret. Reported once where found; later passes meet
 * error nodes and keep quiet.
 */
#ifndef DLANG_BASE_DIAG_H
#define DLANG_BASE_DIAG_H

#include "dlang/base/session.h"
#include "vm/base/host/err.h"

/* After these many diagnostics the rest is only counted. */
#define DIAG_MAX 20

/*
 * Reports an error at pos (NULL: no place). The text may have several lines:
 * embedded newlines and tabs are kept. A second error at the place and with
 * the text of an earlier one is dropped. Always returns STATUS_SYNTAX, so that a
 * function can end in return diag(...).
 */
int diag(struct dlang *d, const struct ast_pos *pos, const char *tag, const char *fmt,
	 ...) ATTR_PRINTF(4, 5);
/* The same from an err that a callback filled: its own tag, or D_UNKNOWN. */
int diag_err(struct dlang *d, const struct ast_pos *pos, const struct err *e);
/* Sets the part for the errors that follow and returns the earlier one. */
enum diag_part diag_part(struct dlang *d, enum diag_part part);
/* Errors so far in this compilation, those above DIAG_MAX included. */
uint32_t diag_count(const struct dlang *d);

#endif
