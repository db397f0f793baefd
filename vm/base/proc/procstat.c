/* SPDX-License-Identifier: MIT */
#include "vm/base/proc/procstat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int procstat_read(int pid, int tid, struct procstat *s)
{
	char path[64];
	ssize_t n;
	int fd;

	s->text[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return STATUS_GONE;
	n = read(fd, s->text, sizeof(s->text) - 1);
	close(fd);
	s->text[n > 0 ? n : 0] = '\0';
	return procstat_field(s->text, PROCSTAT_STATE) ? 0 : STATUS_GONE;
}

const char *procstat_field(const char *text, enum procstat_field n)
{
	const char *p = strrchr(text, ')');

	for (int i = PROCSTAT_STATE; p && i <= (int)n; i++)
		p = strchr(p + 1, ' ');
	return p ? p + 1 : NULL;
}

uint64_t procstat_number(const char *text, enum procstat_field n)
{
	const char *p = procstat_field(text, n);

	if (!p)
		return 0;
	if (n == PROCSTAT_STATE)
		return (unsigned char)*p;
	return *p == '-' ? (uint64_t)strtoll(p, NULL, 10) : strtoull(p, NULL, 10);
}
