/* SPDX-License-Identifier: MIT */
/* A flame graph of stacks that earlier runs have left. */
#include "tracer/pictures/flame.h"
#include "tracer/pictures/folded_file.h"
#include "tracer/pictures/picture_file.h"
#include "tracer/tracer.h"

#include <string.h>
#include <unistd.h>

static void make_title(const char *name, struct strbuf *title)
{
	const size_t n = strcspn(name, ",");

	strbuf_puts(title, "Stacks");
	if (n > 1) { /* "@" alone has no name */
		strbuf_puts(title, " of ");
		strbuf_add(title, name, n);
	}
	strbuf_puts(title, ": red took a larger share than before, blue a smaller one");
}

int tracer_flame(const struct strbuf *folded, const struct strbuf *base,
		 const char *name, const char *path, struct err *e)
{
	struct strbuf title = {0}, svg = {0};
	struct tree tree = {0};
	struct flame f = {.tree = &tree, .has_base = true};
	struct picture_file file;
	int rc;

	folded_text_read(base, TREE_BASE, &tree);
	folded_text_read(folded, TREE_NOW, &tree);
	tree_finish(&tree);
	make_title(name, &title);
	f.title = title.data;
	f.unit = strstr(name, ", count") ? "counted" : "summed";
	rc = picture_file_open(&file, path, e);
	if (rc == 0) {
		flame_write(&f, &svg);
		rc = picture_file_put(&file, &svg, e);
	}
	strbuf_release(&title);
	strbuf_release(&svg);
	tree_release(&tree);
	return rc;
}
