/* SPDX-License-Identifier: MIT */
/*
 * What a firing was told when it was recorded (vm/journal.h), so that clauses are told
 * the same once more. The bytes may say anything.
 */
#ifndef TRACER_EVENTS_EVENT_JOURNAL_H
#define TRACER_EVENTS_EVENT_JOURNAL_H

#include "vm/base/taddr.h"
#include "vm/journal.h"
#include "vm/program.h"

struct event_journal {
	const unsigned char *bytes; /* borrowed; NULL: there is none */
	uint32_t n;
};

/* Memory that was read then; as read() and read_str() of vm_env. */
int event_journal_read(const struct event_journal *j, taddr addr, void *buf, size_t n,
		       taddr *bad);
int64_t event_journal_read_str(const struct event_journal *j, taddr addr, char *buf,
			       size_t n, taddr *bad);
/* An argument, or the value of another built-in variable; false: nobody asked for it. */
bool event_journal_number(const struct event_journal *j, enum builtin id,
			  uint64_t index, uint64_t *value);
bool event_journal_text(const struct event_journal *j, enum builtin id, char *buf,
			size_t cap);
/* The name of a disk; false: it is not known. */
bool event_journal_device(const struct event_journal *j, uint64_t number, char *buf,
			  size_t cap);
/* As descriptor() and python() of vm_env. */
int64_t event_journal_descriptor(const struct event_journal *j, int fd, uint32_t what,
				 char *buf, size_t cap);
size_t event_journal_python(const struct event_journal *j, char *buf, size_t cap,
			    uint32_t frames);
/* Whether it has such an entry. */
bool event_journal_has(const struct event_journal *j, enum journal_kind kind,
		       uint64_t key);

#endif
