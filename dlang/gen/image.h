/* SPDX-License-Identifier: MIT */
/*
 * The growing sections of the image: code, constants, strings, clauses, actions, fields
 * and statements of all programs of a run. gen_link() adds the variables and
 * aggregations, and lays out the flat image.
 */
#ifndef DLANG_GEN_IMAGE_H
#define DLANG_GEN_IMAGE_H

#include "dlang/type.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"
#include "vm/program.h"

struct image {
	struct {
		uint64_t *data;
		size_t len, cap;
	} code, consts;
	struct map const_at;
	struct strbuf str;
	struct strmap str_at;
	struct {
		struct program_clause *data;
		size_t len, cap;
	} clauses;
	struct {
		struct program_action *data;
		size_t len, cap;
	} actions;
	struct {
		struct program_field *data;
		size_t len, cap;
	} fields;
	struct {
		uint32_t *data;
		size_t len, cap;
	} operands;
	struct {
		struct program_stmt *data;
		size_t len, cap;
	} stmts;
	struct map
		printed; /* number of a print() action -> const struct content_plan * */
};

void image_init(struct image *img);
void image_release(struct image *img);

/* The number of a constant, the offset of a string. Equal ones are stored once. */
uint32_t image_const(struct image *img, uint64_t v);
uint32_t image_string(struct image *img, const char *s);
/* The format of values of the type. gen_link() sets the size of strings. */
struct program_field image_field(struct image *img, const struct types *ts,
				 const struct type *t);

#endif
