/* SPDX-License-Identifier: MIT */
#include "tracer/base/installed.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool installed_path(const char *relative, char *path, size_t cap)
{
	char self[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return false;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return false;
	n = snprintf(path, cap, "%.*s/%s", (int)(slash - self), self, relative);
	return (size_t)n < cap;
}
