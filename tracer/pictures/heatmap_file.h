/* SPDX-License-Identifier: MIT */
/*
 * The heat map of a run: which aggregation it shows, when an interval ends, the file.
 *
 * If a clause of a tick probe prints the aggregation by printa(), an interval ends at
 * each such printa(). Otherwise the option aggrate is the interval. All rows are added
 * up.
 */
#ifndef TRACER_PICTURES_HEATMAP_FILE_H
#define TRACER_PICTURES_HEATMAP_FILE_H

#include "tracer/pictures/pictures_config.h"
#include "vm/base/host/err.h"

struct agg_value;
struct consumer;
struct heatmap_file;
struct out;
struct record;

/* INVAL: no aggregation is a histogram. IO: the file cannot be opened. */
int heatmap_file_open(const struct pictures_config *config, struct heatmap_file **out,
		      struct err *e);
void heatmap_file_free(struct heatmap_file *f); /* NULL is nothing */

/* Tracing begins now. */
void heatmap_file_start(struct heatmap_file *f, uint64_t now);
/* When heatmap_file_serve() is to be called next; UINT64_MAX: never. */
uint64_t heatmap_file_wakeup(const struct heatmap_file *f);
void heatmap_file_serve(struct heatmap_file *f, struct consumer *c, uint64_t now);
/* A record whose actions are about to be performed. */
void heatmap_file_record(struct heatmap_file *f, struct consumer *c,
			 const struct record *r);
/* clear() or trunc() has removed a row's value. */
void heatmap_file_removed(struct heatmap_file *f, const struct agg_value *x);
/* Takes the last interval and writes the file; false after a failure, which o says. */
bool heatmap_file_write(struct heatmap_file *f, struct consumer *c, struct out *o);

#endif
