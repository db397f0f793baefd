/* SPDX-License-Identifier: MIT */
/*
 * A module as hook/ wants to have it, read from its file: addresses are the file's own
 * (st_value), so a view is good for every process that has mapped that file, wherever.
 */
#ifndef TRACER_TARGETS_CODE_IMAGE_H
#define TRACER_TARGETS_CODE_IMAGE_H

#include "hook/target.h"
#include "symbols/symbols.h"

struct code_image {
	struct hook_module module;
	struct hook_branches *branches;
	struct code_image_memory *memory; /* private */
};

/* Needs module_load_symbols() first. Freed by code_image_free(). The errors of
 * module_read_code(). */
int code_image_new(const struct module *m, struct code_image **out, struct err *e);
void code_image_free(struct code_image *v);

/* Views in the order of their last use; a zeroed one is empty. */
struct code_images {
	struct {
		struct module_stamp stamp;
		struct code_image *view;
	} * data; /* vec */
	size_t len, cap;
};

/*
 * The view of the module's file, read only if it is not among the views. NULL: it cannot
 * be read. It stays valid until code_images_trim() or code_images_release().
 */
const struct code_image *code_images_get(struct code_images *vs,
					 const struct module *m);
/* Frees all but the n used last. */
void code_images_trim(struct code_images *vs, size_t n);
void code_images_release(struct code_images *vs);

#endif
