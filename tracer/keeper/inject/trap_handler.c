/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/inject/trap_handler.h"
#include "tracer/keeper/inject/pass_files.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/clock.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PRIVATE	  (MAP_PRIVATE | MAP_ANONYMOUS)
#define MASK_SIZE 8 /* bytes of the kernel's sigset_t */

static const struct trap_text *trap_text(void)
{
	return (const struct trap_text *)(const void *)trap_bin;
}

static struct undo_log *log_of(const struct injection *in)
{
	return &in->process->space->undo_log;
}

/*
 * Maps memory where the kernel would place a mapping of the program's own: some programs
 * expect none elsewhere.
 */
static int map_there(const struct injection *in, uint64_t n, int prot, int fd,
		     taddr *at)
{
	const uint64_t args[6] = {
		0, n, (uint64_t)prot, fd < 0 ? PRIVATE : MAP_SHARED, (uint64_t)fd, 0};

	int status = remote_call_do(in->remote, SYS_mmap, args, &at->v);

	if (!status)
		space_add_mapping(in->process->space, *at, n);
	return status;
}

static int map_text(const struct injection *in)
{
	const int mem = in->process->space->mem;
	uint64_t args[6] = {0, UNDO_PAGE, PROT_READ | PROT_WRITE}, got;
	taddr at;
	int status = map_there(in, UNDO_TEXT_BYTES, PROT_READ | PROT_EXEC, -1, &at);

	if (status)
		return status;
	log_of(in)->text = at;
	args[0] = undo_log_scratch(log_of(in)).v;
	status = remote_call_do(in->remote, SYS_mprotect, args, &got);
	return status ? status : mem_write(mem, at, trap_bin, trap_text()->bytes);
}

/* Maps the file, of n bytes, to be read, and closes it. */
static int map_file(const struct injection *in, int file, uint64_t n, taddr *at)
{
	int there, status;

	if (file < 0)
		return file;
	status = pass_files(in, undo_log_scratch(log_of(in)), &file, 1, &there);
	close(file);
	if (status)
		return status;
	status = map_there(in, n, PROT_READ, there, at);
	pass_files_close(in, there);
	return status;
}

static int map_part(const struct injection *in, enum undo_kind kind, uint32_t n)
{
	struct undo_log *log = log_of(in);
	taddr at;
	int status, file;

	if (!n || undo_log_has_room(log, kind, n))
		return 0;
	file = undo_log_new_part(log, kind, n - 1);
	status = map_file(in, file, log->head->parts[log->head->nparts].size, &at);
	if (!status)
		undo_log_add_part(log, at);
	return status;
}

/* One rt_sigaction(2); 0 for set or old: none. */
static int call_action(struct remote_call *r, uint64_t set, uint64_t old)
{
	const uint64_t args[6] = {SIGTRAP, set, old, MASK_SIZE};
	uint64_t got;

	return remote_call_do(r, SYS_rt_sigaction, args, &got);
}

/* The action in effect. */
static int read_action(struct remote_call *r, taddr scratch, struct trap_action *out)
{
	int status = call_action(r, 0, scratch.v);

	return status ? status : mem_read(r->mem, scratch, out, sizeof(*out));
}

static int set_action(struct remote_call *r, taddr scratch,
		      const struct trap_action *action)
{
	int status = mem_write(r->mem, scratch, action, sizeof(*action));

	return status ? status : call_action(r, scratch.v, 0);
}

/*
 * A handler of the program's runs in place of ours, on the stack that it wants. Otherwise
 * a small stack of the thread may have no room.
 */
static uint64_t flags_beside(const struct trap_action *own)
{
	const uint64_t common = TRAP_SIGINFO | TRAP_NODEFER | TRAP_RESTORER;

	if (own->handler == TRAP_DEFAULT || own->handler == TRAP_IGNORE)
		return common | TRAP_ONSTACK | TRAP_RESTART;
	return common | (own->flags & (TRAP_ONSTACK | TRAP_RESTART));
}

static int arm(struct remote_call *r, struct undo_log *log)
{
	struct trap_action now;
	int status = read_action(r, undo_log_scratch(log), &now);

	if (status)
		return status;
	log->armed_ns = log->looked_ns = clock_now_ns();
	if (now.handler == log->text.v + trap_text()->handler)
		return 0;
	log->head->own = now;
	log->head->ours = (struct trap_action){log->text.v + trap_text()->handler,
					       flags_beside(&now),
					       log->text.v + trap_text()->restorer, 0};
	return set_action(r, undo_log_scratch(log), &log->head->ours);
}

/* Notes what was mapped before the log was there, and this. */
static void note_memory(const struct space *s)
{
	for (size_t i = 0; i < s->mappings.len; i++)
		undo_log_note_memory(&s->undo_log, i, s->mappings.data[i].lo,
				     s->mappings.data[i].size);
}

static int install(const struct injection *in)
{
	struct undo_log *log = log_of(in);
	struct space *s = in->process->space;
	int status = map_text(in);

	if (!status)
		status = map_file(in, undo_log_new(log), UNDO_HEAD_BYTES, &log->at);
	if (status)
		return status;
	log->head->text = log->text.v;
	note_memory(s);
	space_note_semaphores(s);
	status =
		mem_write(s->mem, taddr_add(log->text, offsetof(struct trap_text, log)),
			  &log->at.v, sizeof(log->at.v));
	return status ? status : arm(in->remote, log);
}

bool trap_handler_is_needed(const struct space *s, const struct undo_need *need)
{
	const struct undo_log *log = &s->undo_log;

	return !log->is_refused &&
	       !(undo_log_has_room(log, UNDO_SITES, need->sites) &&
		 undo_log_has_room(log, UNDO_PATCHES,
				   DETOUR_PLACES_MAX * need->detours));
}

int trap_handler_install(const struct injection *in, const struct undo_need *need)
{
	struct undo_log *log = log_of(in);
	int status = log->head ? 0 : install(in);

	if (!status)
		status = map_part(in, UNDO_SITES, need->sites);
	if (!status)
		status = map_part(in, UNDO_PATCHES, DETOUR_PLACES_MAX * need->detours);
	log->is_refused = status && status != STATUS_GONE;
	return status;
}

void trap_handler_renew(struct remote_call *r, struct space *s)
{
	s->undo_log.is_due = false;
	if (s->undo_log.head)
		arm(r, &s->undo_log);
}

void trap_handler_put_back(struct remote_call *r, taddr scratch, uint64_t ours,
			   const struct trap_action *own)
{
	struct trap_action now;

	if (read_action(r, scratch, &now) == 0 && now.handler == ours)
		set_action(r, scratch, own);
}

void trap_handler_remove(struct remote_call *r, const struct space *s)
{
	const struct undo_log *log = &s->undo_log;

	if (log->head && log->armed_ns)
		trap_handler_put_back(r, undo_log_scratch(log), log->head->ours.handler,
				      &log->head->own);
}
