/* SPDX-License-Identifier: MIT */
/*
 * A tree of stacks as a flame graph: one SVG file that needs no other, with a script for
 * zoom, search and hover.
 */
#ifndef TRACER_PICTURES_FLAME_H
#define TRACER_PICTURES_FLAME_H

#include "tracer/pictures/tree.h"

#define FLAME_BOXES 20000 /* the widest; narrower frames are left out */

struct flame {
	const struct tree *tree; /* finished; its root has a total */
	const char *title, *unit;
	bool has_base; /* colours show how shares differ from those of TREE_BASE */
};

/* Appends the file. The same tree gives the same bytes. */
void flame_write(const struct flame *f, struct strbuf *to);

#endif
