/* SPDX-License-Identifier: MIT */
#ifndef TYPED_H
#define TYPED_H

struct point {
	int x, y;
};

struct hidden; /* defined in the library only */

extern struct hidden *library_hidden;
extern int library_shared; /* used by the program: copied into it */
int library_call(struct point *p, int n);

#endif
