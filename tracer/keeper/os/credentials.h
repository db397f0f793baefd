/* SPDX-License-Identifier: MIT */
/*
 * The credentials of a thread, as far as one program may be less than another: users,
 * groups, capabilities, seccomp filters, namespaces of users and processes, the label of
 * a security module. Two threads are peers when all of it is the same.
 */
#ifndef TRACER_KEEPER_OS_CREDENTIALS_H
#define TRACER_KEEPER_OS_CREDENTIALS_H

#include "vm/base/base.h"
#include "vm/base/status.h"

#define CREDENTIALS_FIELDS 14

struct credentials {
	char *value[CREDENTIALS_FIELDS]; /* text of the kernel; all NULL: none */
};

/* What /proc/TID has beside its status. */
struct credentials_files {
	const char *user_ns, *pid_ns; /* of the links in ns/ */
	const char *label;	      /* attr/current; "": no security module */
};

/*
 * Takes the credentials out of the text of /proc/TID/status and the other files. What a
 * kernel does not report counts as empty. STATUS_BADFMT: there are no users in the text;
 * *out is empty then. The caller releases *out.
 */
int credentials_parse(const char *status, const struct credentials_files *files,
		      struct credentials *out);
/*
 * The same for a thread, of any state. STATUS_GONE: there is none; STATUS_PERM: only a
 * part of it may be read, as of a process that changed its user while it is traced by
 * another user. *out is empty then.
 */
int credentials_read(int tid, struct credentials *out);
/* What differs, such as "user" or "capabilities"; NULL: nothing. Neither is empty. */
const char *credentials_difference(const struct credentials *a,
				   const struct credentials *b);
/* Whether a system call may change the credentials of its caller. */
bool credentials_are_changed_by(int64_t nr);
/* Afterwards it is empty. */
void credentials_release(struct credentials *c);

#endif
