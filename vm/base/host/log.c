/* SPDX-License-Identifier: MIT */
#include "vm/base/host/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_LINE_MAX 1024

/* Not kept in the environment: programs that are started inherit that. */
static bool is_enabled;

void log_enable(void)
{
	is_enabled = true;
}

bool log_is_on(const char *domain)
{
	const char *set = getenv("DTRACE_DEBUG");
	size_t n = strlen(domain);

	if (!set || !*set)
		return is_enabled;
	if (strcmp(set, "1") == 0)
		return true;
	for (const char *p = strstr(set, domain); p; p = strstr(p + 1, domain))
		if ((p == set || p[-1] == ',') && (!p[n] || p[n] == ','))
			return true;
	return false;
}

void log_debug(const char *domain, const char *fmt, ...)
{
	char line[LOG_LINE_MAX];
	size_t n;
	ssize_t ignored;
	va_list ap;

	if (!log_is_on(domain))
		return;
	snprintf(line, sizeof(line), "%s: ", domain);
	n = strlen(line);
	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);
	strcat(line, "\n");
	ignored = write(STDERR_FILENO, line, strlen(line));
	(void)ignored;
}
