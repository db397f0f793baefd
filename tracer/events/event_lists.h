/* SPDX-License-Identifier: MIT */
/*
 * -x keyword= and -x level=: which events of the kernel a run takes notice of, by lists
 * in files.
 *
 *	# a comment
 *	keyword io: block scsi nvme:* ext4:*write*
 *	level error: *:*_error
 *
 * After the colon are patterns of SYSTEM:EVENT, or of SYSTEM for all of its events. Lists
 * of one name in one file add up; those of a later file take the place of those before.
 */
#ifndef TRACER_EVENTS_EVENT_LISTS_H
#define TRACER_EVENTS_EVENT_LISTS_H

#include "tracer/base/options.h"

/* The levels, from 1 to 5; that of an event in no list is the last one. */
#define EVENT_LEVELS "critical error warning info verbose"

struct event_lists;

struct event_lists *event_lists_new(void);
/* v may be NULL. */
void event_lists_free(struct event_lists *v);
/*
 * Adds the lists of a file. NOENT, IO: it cannot be read; LIMIT: it is larger than 1
 * MB; SYNTAX: the text names the line.
 */
int event_lists_read(struct event_lists *v, const char *path, struct err *e);
/*
 * Chooses events: those of any of the keywords, separated by commas, and up to the level,
 * a name or a number. NULL: of all. INVAL: there is no such list; the text says which
 * there are.
 */
int event_lists_choose(struct event_lists *v, const char *keywords, const char *level,
		       struct err *e);
bool event_lists_has(const struct event_lists *v, const char *system,
		     const char *event);

/*
 * What the options ask for, by the installed file and that of the option eventlists;
 * *out is NULL if they ask for nothing.
 */
int event_lists_open(const struct options *o, struct event_lists **out, struct err *e);

#endif
