/* SPDX-License-Identifier: MIT */
#include "tracer/tool.h"
#include "vm/base/host/oom.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOLS_PLACE "../share/dtrace/tools" /* from the folder of this program */

/* Appends the folder of the tools; false if it cannot be known. */
static bool add_folder(struct strbuf *path)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
	const char *slash = n > 0 ? memrchr(self, '/', (size_t)n) : NULL;

	if (!slash)
		return false;
	strbuf_add(path, self, (size_t)(slash + 1 - self));
	strbuf_puts(path, TOOLS_PLACE);
	return true;
}

static bool is_script(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && strcmp(name + n - 2, ".d") == 0;
}

const char *tool_path(const char *name, struct strbuf *own)
{
	if (!*name || strchr(name, '/') || access(name, F_OK) == 0 || !add_folder(own))
		return name;
	strbuf_printf(own, "/%s%s", name, is_script(name) ? "" : ".d");
	return access(own->data, R_OK) == 0 ? own->data : name;
}

static int select_script(const struct dirent *entry)
{
	return is_script(entry->d_name);
}

/* The question is the comment after the line with the licence. */
static void add_tool(struct strbuf *text, const char *folder, const char *file)
{
	struct strbuf path = {0};
	char line[256];
	FILE *f;

	strbuf_printf(&path, "%s/%s", folder, file);
	f = fopen(path.data, "re");
	strbuf_release(&path);
	if (!f)
		return;
	line[0] = '\0';
	for (int i = 0; i < 2; i++)
		if (!fgets(line, sizeof(line), f))
			line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	strbuf_printf(text, "\n  %-12.*s %s", (int)strlen(file) - 2, file,
		      strncmp(line, "/* ", 3) == 0 ? line + 3 : "");
}

void tool_suggest(const char *name, struct strbuf *text)
{
	struct strbuf folder = {0};
	struct dirent **files = NULL;
	int n = 0;

	if (*name && !strpbrk(name, "/.") && add_folder(&folder))
		n = scandir(folder.data, &files, select_script, alphasort);
	if (n > 0)
		strbuf_puts(text, "; these tools exist:");
	for (int i = 0; i < n; i++) {
		add_tool(text, folder.data, files[i]->d_name);
		free(files[i]);
	}
	free(files);
	strbuf_release(&folder);
}
