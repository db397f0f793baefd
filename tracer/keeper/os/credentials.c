/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/credentials.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The lines of status (proc(5)). The bounding set and no_new_privs limit only what an
 * exec can gain. They count: a process without them could have another one gain it.
 */
static const struct {
	const char *line; /* of status; NULL: of another file */
	const char *word;
} fields[CREDENTIALS_FIELDS] = {
	{"Uid", "user"}, /* real, effective, saved, of files */
	{"Gid", "group"},
	{"Groups", "supplementary groups"},
	{"CapInh", "capabilities"},
	{"CapPrm", "capabilities"},
	{"CapEff", "capabilities"},
	{"CapBnd", "capabilities"},
	{"CapAmb", "capabilities"},
	{"NoNewPrivs", "no_new_privs"},
	{"Seccomp", "seccomp filter"},
	{"Seccomp_filters", "seccomp filter"},
	{NULL, "user namespace"},
	{NULL, "process namespace"},
	{NULL, "security label"},
};

enum { FIELD_USER_NS = 11, FIELD_PID_NS, FIELD_LABEL };

/* The rest of the line that begins with name and a colon; "" when there is none. */
static char *line_of(const char *text, const char *name)
{
	size_t n = strlen(name);
	char *value;

	while (text && (strncmp(text, name, n) != 0 || text[n] != ':')) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	text = text ? text + n + 1 : "";
	text += strspn(text, " \t");
	n = strcspn(text, "\n");
	while (n && text[n - 1] == ' ') /* that of Groups ends with one */
		n--;
	value = oom_realloc(NULL, n + 1);
	memcpy(value, text, n);
	value[n] = '\0';
	return value;
}

static char *copy(const char *text)
{
	size_t n = strlen(text) + 1;

	return memcpy(oom_realloc(NULL, n), text, n);
}

int credentials_parse(const char *status, const struct credentials_files *files,
		      struct credentials *out)
{
	for (int i = 0; i < CREDENTIALS_FIELDS; i++)
		if (fields[i].line)
			out->value[i] = line_of(status, fields[i].line);
	out->value[FIELD_USER_NS] = copy(files->user_ns);
	out->value[FIELD_PID_NS] = copy(files->pid_ns);
	out->value[FIELD_LABEL] = copy(files->label);
	if (out->value[0][0])
		return 0;
	credentials_release(out);
	return STATUS_BADFMT;
}

/* A whole file of /proc/TID, however long the list of groups is; NULL: unreadable. */
static char *read_all(int tid, const char *file)
{
	char path[64], *text = NULL;
	size_t n = 0, cap = 0;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	do {
		cap = cap ? cap * 2 : 4096;
		text = oom_realloc(text, cap);
		while (n < cap - 1 && (got = read(fd, text + n, cap - 1 - n)) > 0)
			n += (size_t)got;
	} while (got > 0);
	close(fd);
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

static int read_link(int tid, const char *file, char buf[64])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, file);
	n = readlink(path, buf, 63);
	if (n < 0)
		return errno == EACCES || errno == EPERM ? STATUS_PERM : STATUS_GONE;
	buf[n] = '\0';
	return 0;
}

int credentials_read(int tid, struct credentials *out)
{
	char user_ns[64], pid_ns[64];
	char *status = read_all(tid, "status");
	char *label = read_all(tid, "attr/current"); /* fails without such a module */
	const struct credentials_files files = {user_ns, pid_ns, label ? label : ""};
	int result = status ? read_link(tid, "ns/user", user_ns) : STATUS_GONE;

	*out = (struct credentials){0};
	if (!result)
		result = read_link(tid, "ns/pid", pid_ns);
	if (!result && credentials_parse(status, &files, out) < 0)
		result = STATUS_GONE;
	free(status);
	free(label);
	return result;
}

const char *credentials_difference(const struct credentials *a,
				   const struct credentials *b)
{
	for (int i = 0; i < CREDENTIALS_FIELDS; i++)
		if (strcmp(a->value[i], b->value[i]) != 0)
			return fields[i].word;
	return NULL;
}

void credentials_release(struct credentials *c)
{
	for (int i = 0; i < CREDENTIALS_FIELDS; i++)
		free(c->value[i]);
	*c = (struct credentials){0};
}

bool credentials_are_changed_by(int64_t nr)
{
	switch (nr) {
	case SYS_setuid:
	case SYS_setreuid:
	case SYS_setresuid:
	case SYS_setfsuid:
	case SYS_setgid:
	case SYS_setregid:
	case SYS_setresgid:
	case SYS_setfsgid:
	case SYS_setgroups:
	case SYS_capset:
	case SYS_prctl:
	case SYS_seccomp:
	case SYS_unshare:
	case SYS_setns:
		return true;
	default:
		return false;
	}
}
