/* SPDX-License-Identifier: MIT */
#include "vm/base/proc/maps_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void path_decode(char *path)
{
	char *to = path;

	for (const char *p = path; *p; p++) {
		if (strncmp(p, "\\012", 4) == 0) {
			*to++ = '\n';
			p += 3;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
}

bool maps_line_parse(char *line, struct maps_line *out)
{
	static const char deleted[] = " (deleted)";
	const size_t n = sizeof(deleted) - 1;
	int at = 0;

	*out = (struct maps_line){.lo = 0};
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n",
		   &out->lo, &out->hi, out->perms, &out->offset, &out->major,
		   &out->minor, &out->inode, &at) != 7 ||
	    strlen(out->perms) != 4)
		return false;
	line[strcspn(line, "\n")] = '\0';
	out->path = line + at + strspn(line + at, " ");
	path_decode(out->path);
	out->path_length = strlen(out->path);
	out->is_deleted = out->path_length > n &&
			  strcmp(out->path + out->path_length - n, deleted) == 0;
	if (out->is_deleted)
		out->path_length -= n;
	return true;
}
