/* SPDX-License-Identifier: MIT */
/*
 * A message for a person, set once where something failed. Callers on the
 * way up return the status unchanged or add context in front of the text.
 *
 * Text: lower case, no full stop, fault first, subject in quotes, then what
 * to do about it: cannot attach to '42': no such process.
 */
#ifndef VM_BASE_HOST_ERR_H
#define VM_BASE_HOST_ERR_H

#include "vm/base/base.h"
#include "vm/base/status.h"

#define ERR_TEXT_MAX 1024

struct err {
	enum status status;
	char tag[32]; /* "D_PROC_FUNC" where one applies, else empty */
	char text[ERR_TEXT_MAX];
};

/* Each returns status, so that a function can end in return err_set(...). */
int err_set(struct err *e, enum status status, const char *fmt, ...) ATTR_PRINTF(3, 4);
/*
 * The same with ": " and the text of errno appended, and which limit to raise if that is
 * the cause.
 */
int err_errno(struct err *e, enum status status, const char *fmt, ...)
	ATTR_PRINTF(3, 4);
/* Sets the D_ tag of a compile-time error beside its text. */
int err_tag(struct err *e, const char *tag, const char *fmt, ...) ATTR_PRINTF(3, 4);
/* Puts "context: " in front of the text; the status and tag stay. */
void err_context(struct err *e, const char *fmt, ...) ATTR_PRINTF(2, 3);
/* The text of a status, for messages that have nothing better. */
const char *status_text(int status);

#endif
