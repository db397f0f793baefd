/* SPDX-License-Identifier: MIT */
/*
 * A file of perf.data that grows: whole records are appended to it, and none is written
 * in part. The file is in the form of a pipe: it says nothing of its end, so it can be
 * read at any moment up to the last record that is there.
 */
#ifndef TRACER_RECORDING_WRITE_EVENT_FILE_H
#define TRACER_RECORDING_WRITE_EVENT_FILE_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"

struct event_file;

/*
 * Makes the file: for its owner only, and no other file in its place, nor behind a
 * symbolic link. The text of an error is the reason alone.
 */
int event_file_create(const char *path, struct event_file **out, struct err *e);
/* Writes the rest, or removes the file. f may be NULL. */
void event_file_close(struct event_file *f, bool keep);

/* Appends a record of n bytes, or some, each whole. After an error it does nothing. */
void event_file_add(struct event_file *f, const void *record, size_t n);
/* What is in memory goes to the file. */
void event_file_flush(struct event_file *f);
/* Appends the records that are in another one so far. 0, or errno. */
int event_file_copy(struct event_file *f, struct event_file *from);
/* errno of the first write that has failed; 0: none has. */
int event_file_error(const struct event_file *f);
uint64_t event_file_bytes(const struct event_file *f);

#endif
