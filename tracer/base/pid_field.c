/* SPDX-License-Identifier: MIT */
#include "tracer/base/pid_field.h"
#include "tracer/base/provider.h"
#include "vm/base/fmt.h"
#include "vm/base/host/glob.h"

#include <stdio.h>
#include <string.h>

int pid_field_process(const struct provider *prov, const char *field, struct err *e)
{
	const char *digits = field + strlen(field);
	char exact[32];
	uint64_t pid;

	while (digits > field && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (!*digits || fmt_parse_u64(digits, strlen(digits), 10, &pid))
		return 0;
	snprintf(exact, sizeof(exact), "%s%s", prov->name, digits);
	if (!glob_match(field, exact))
		return 0;
	if (pid == 0 || pid > INT32_MAX)
		return err_tag(e, "D_PROC_BADPID", "'%s' does not contain a valid pid",
			       field);
	return (int)pid;
}

bool pid_field_names_process(const struct provider *self, const char *field)
{
	struct err ignored;

	return pid_field_process(self, field, &ignored) > 0;
}

bool pid_field_names_family(const struct provider *self, const char *field, int family)
{
	struct err ignored;

	return pid_field_process(self, field, &ignored) == family;
}

int pid_field_of_probe(const struct probes *ps, const struct probe *p)
{
	const char *text = probes_name(ps, p, PROBE_PROVIDER);
	size_t n = strlen(p->provider->name);
	uint64_t pid;

	return fmt_parse_u64(text + n, strlen(text + n), 10, &pid) ? 0 : (int)pid;
}
