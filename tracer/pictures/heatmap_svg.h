/* SPDX-License-Identifier: MIT */
/*
 * A histogram over time as one SVG file that needs no other: time to the right, buckets
 * upwards, colour is the count; a script shows what is under the pointer.
 */
#ifndef TRACER_PICTURES_HEATMAP_SVG_H
#define TRACER_PICTURES_HEATMAP_SVG_H

#include "tracer/pictures/heatmap.h"
#include "vm/base/host/strbuf.h"

#define HEATMAP_ROWS 128 /* neighbouring buckets share a row when there are more */

struct heatmap_picture {
	const struct heatmap *map; /* finished; has a cell */
	const char *title;
	const char *unit;  /* of the values; "": none. ns us ms s bytes are scaled */
	const char *began; /* what time 0 is, for the axis: "2026-01-31 13:45:00" */
};

/* Appends the file. */
void heatmap_svg_write(const struct heatmap_picture *p, struct strbuf *to);

#endif
