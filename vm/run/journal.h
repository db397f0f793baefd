/* SPDX-License-Identifier: MIT */
/*
 * The journal of a firing that is recorded (vm/journal.h), kept in the last bytes of
 * scratch memory. A program that needs these itself gets them: the journal then says
 * that it is not complete. In other firings these functions note nothing.
 */
#ifndef VM_RUN_JOURNAL_H
#define VM_RUN_JOURNAL_H

#include "vm/journal.h"
#include "vm/run/firing.h"

void journal_add(struct firing *f, enum journal_kind kind, uint64_t key,
		 const void *bytes, uint64_t n);

static inline void journal_note(struct firing *f, enum journal_kind kind, uint64_t key,
				const void *bytes, uint64_t n)
{
	if (f->is_recorded)
		journal_add(f, kind, key, bytes, n);
}

/* The value of a built-in variable. */
static inline void journal_note_number(struct firing *f, uint32_t id, uint64_t index,
				       uint64_t value)
{
	/* The record has the last three, and the arguments are added at the end. */
	if (f->is_recorded && id > BUILTIN_arg9 && id != BUILTIN_timestamp &&
	    id != BUILTIN_pid && id != BUILTIN_tid && index <= UINT32_MAX)
		journal_add(f, JOURNAL_NUMBER, (uint64_t)id << 32 | index, &value,
			    sizeof(value));
}

/* As read() and read_str() of vm_env. */
int journal_read(struct firing *f, taddr addr, void *buf, uint64_t n, taddr *bad);
int64_t journal_read_str(struct firing *f, taddr addr, char *buf, uint64_t n,
			 taddr *bad);

/* Its bytes; NULL: the firing is not recorded. */
const unsigned char *journal_bytes(const struct firing *f, uint32_t *n);

#endif
