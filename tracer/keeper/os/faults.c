/* SPDX-License-Identifier: MIT */
/* Built with DTRACE_FAULTS only. */
#include "tracer/keeper/os/faults.h"
#include "vm/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[FAULTS_CLASSES] = {
	[FAULTS_PTRACE] = "ptrace",
	[FAULTS_MEMORY] = "memory",
	[FAULTS_CALL] = "call",
	[FAULTS_FILE] = "file",
};

static struct {
	bool is_read;
	enum faults_class in;
	unsigned long number; /* 0: none */
	int error;
	unsigned long calls[FAULTS_CLASSES];
} plan;

static void note(const char *text)
{
	const char *path = getenv("DTRACE_FAULT_LOG");
	int fd =
		path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644) : -1;

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

static void note_calls(void)
{
	char line[64];

	for (int i = 0; i < FAULTS_CLASSES; i++) {
		snprintf(line, sizeof(line), "calls %s %lu\n", names[i], plan.calls[i]);
		note(line);
	}
}

static void read_plan(void)
{
	const char *text = getenv("DTRACE_FAULT");
	const char *colon = text ? strchr(text, ':') : NULL;
	char *end;

	plan.is_read = true;
	atexit(note_calls);
	for (int i = 0; colon && i < FAULTS_CLASSES; i++) {
		if (strncmp(text, names[i], (size_t)(colon - text)) != 0)
			continue;
		plan.in = (enum faults_class)i;
		plan.number = strtoul(colon + 1, &end, 10);
		plan.error = *end == ':' ? atoi(end + 1) : EIO;
	}
}

bool faults_due(enum faults_class in, long what)
{
	char line[96];

	if (!plan.is_read)
		read_plan();
	plan.calls[in]++;
	if (in != plan.in || plan.calls[in] != plan.number)
		return false;
	snprintf(line, sizeof(line), "hit %s %lu 0x%lx\n", names[in], plan.number,
		 what);
	note(line);
	errno = plan.error;
	return true;
}
