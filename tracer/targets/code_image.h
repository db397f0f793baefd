/* SPDX-License-Identifier: MIT */
/*
 * A module's code and tables as hook/ needs them, read from its file. Addresses are those
 * of the file (st_value), so one image serves every process that has mapped the file.
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

/*
 * Reads the file of a module, whose symbols have been loaded: all of its code stays. The
 * caller frees *out. Errors are those of module_read_code().
 */
int code_image_new(const struct module *m, struct code_image **out, struct err *e);
void code_image_free(struct code_image *v);

/* A cache of images, in the order of their last use. A zeroed one is empty. */
struct code_images {
	struct {
		struct module_stamp stamp;
		struct code_image *image;
	} * data; /* vec */
	size_t len, cap;
};

/*
 * The image of the module's file, which is read if it is not in the cache. NULL: it
 * cannot be read. Valid until code_images_trim() or code_images_release(). Its branches
 * are found by a background thread: not before code_image_wait() is true.
 */
struct code_image *code_images_get(struct code_images *cache, const struct module *m);
/* False: its branches are not found within ms milliseconds. */
bool code_image_wait(struct code_image *v, unsigned ms);
/*
 * Makes the code of a function, [lo, hi) in the file's addresses, and what is around it,
 * part of the image's module, in place of that of the function before. Its branches have
 * been found. False: it cannot be read.
 */
bool code_image_hold(struct code_image *v, taddr lo, taddr hi);
/* Frees what code_image_hold() has read, until it is called again. */
void code_image_release_code(struct code_image *v);
/* Frees all but the n used last. */
void code_images_trim(struct code_images *cache, size_t n);
void code_images_release(struct code_images *cache);

#endif
