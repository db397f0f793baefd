/* SPDX-License-Identifier: MIT */
#include "tracer/emit/emit.h"
#include "tracer/events/tracefs.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Of linux/user_events.h, since Linux 6.4. */
struct user_reg {
	uint32_t size;
	uint8_t enable_bit, enable_size;
	uint16_t flags;
	uint64_t enable_addr, name_args;
	uint32_t write_index;
} __attribute__((packed));

#define USER_EVENT_REGISTER _IOWR('*', 0, struct user_reg *)

/* An event of an action. */
struct declared {
	uint32_t number;  /* that the kernel gave it */
	uint32_t enabled; /* bit 0: the kernel sets it while somebody listens */
};

struct emitter {
	const void *image;
	int fd;
	bool is_marker;
	struct declared *events; /* by action */
};

static bool is_emit(const void *image, uint32_t action)
{
	return program_action(image, action)->kind == ACTION_emit;
}

/* Whether an action before this one has its name, and other types of arguments. */
static bool is_other(const void *image, uint32_t action, const char *declaration)
{
	uint32_t name = program_action(image, action)->text;
	bool differs = false;

	for (uint32_t i = 0; i < action && !differs; i++) {
		const struct program_action *a = program_action(image, i);
		struct strbuf other = {0};

		if (!is_emit(image, i) || strcmp(program_string(image, a->text),
						 program_string(image, name)) != 0)
			continue;
		emit_declaration(image, a, &other);
		differs = strcmp(other.data, declaration) != 0;
		strbuf_release(&other);
	}
	return differs;
}

static int declare(struct emitter *m, uint32_t action, const char *text, struct err *e)
{
	struct declared *event = &m->events[action];
	struct user_reg reg = {
		.size = sizeof(reg),
		.enable_size = sizeof(event->enabled),
		.enable_addr = (uintptr_t)&event->enabled,
		.name_args = (uintptr_t)text,
	};

	if (is_other(m->image, action, text))
		return err_set(e, STATUS_INVAL,
			       "emit(): the event '%.*s' has other arguments elsewhere",
			       (int)strcspn(text, " "), text);
	if (m->is_marker)
		return 0;
	if (ioctl(m->fd, USER_EVENT_REGISTER, &reg) < 0)
		return err_errno(e, STATUS_IO, "emit(): cannot register the event '%s'",
				 text);
	event->number = reg.write_index;
	return 0;
}

static int open_sink(struct emitter *m, struct err *e)
{
	struct err why;
	int dir = tracefs_open(&why);

	if (dir < 0)
		return err_set(e, why.status, "emit(): %s", why.text);
	m->fd = openat(dir, "user_events_data", O_RDWR | O_CLOEXEC);
	m->is_marker = m->fd < 0;
	if (m->is_marker)
		m->fd = openat(dir, "trace_marker", O_WRONLY | O_CLOEXEC);
	if (m->fd < 0)
		err_errno(e, errno == EACCES ? STATUS_PERM : STATUS_IO,
			  "emit(): cannot open 'trace_marker' of tracefs, which is for "
			  "root");
	close(dir);
	return m->fd < 0 ? e->status : 0;
}

int emitter_open(const void *image, struct emitter **out, struct err *e)
{
	uint32_t n = program_count(image, SECTION_ACTION), nemits = 0;
	struct emitter *m;
	int rc;

	*out = NULL;
	for (uint32_t i = 0; i < n; i++)
		nemits += is_emit(image, i);
	if (!nemits)
		return 0;
	m = oom_calloc(1, sizeof(*m));
	*m = (struct emitter){.image = image, .fd = -1};
	m->events = oom_calloc(n, sizeof(*m->events));
	rc = open_sink(m, e);
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		struct strbuf text = {0};

		if (!is_emit(image, i))
			continue;
		emit_declaration(image, program_action(image, i), &text);
		rc = declare(m, i, text.data, e);
		strbuf_release(&text);
	}
	if (rc)
		emitter_close(m);
	else
		*out = m;
	return rc;
}

void emitter_close(struct emitter *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		close(m->fd);
	free(m->events);
	free(m);
}

int emitter_write(struct emitter *m, const struct emit_event *x, struct err *e)
{
	const struct declared *event =
		&m->events[x->action - program_action(m->image, 0)];
	const volatile uint32_t *enabled = &event->enabled;
	struct strbuf bytes = {0};
	int rc;

	if (!m->is_marker && !*enabled)
		return 0; /* nobody listens */
	if (!m->is_marker)
		strbuf_add(&bytes, &event->number, sizeof(event->number));
	rc = m->is_marker ? emit_line(x, &bytes) : emit_bytes(x, &bytes);
	if (rc == 0 && write(m->fd, bytes.data, bytes.len) < 0)
		rc = err_errno(e, STATUS_IO, "the kernel has refused it");
	strbuf_release(&bytes);
	return rc;
}
