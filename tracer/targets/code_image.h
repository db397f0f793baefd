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

/* Parts of functions, in the file's addresses, ascending, that are to be planned. */
struct code_parts {
	const struct addr_range *data;
	size_t n;
};

/*
 * Reads the file of a module, whose symbols have been loaded: all of its code stays.
 * Branches are looked for as far as they lead to the parts; NULL: all are. The caller
 * frees *out. Errors are those of module_read_code().
 */
int code_image_new(const struct module *m, const struct code_parts *parts,
		   struct code_image **out, struct err *e);
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
 * The image of the module's file, which is read if it is not in the cache: for these
 * parts, which are copied; NULL: for all. NULL: it cannot be read. Valid until
 * code_images_trim() or code_images_release(). Its branches are found by a background
 * thread: not before code_image_wait() is true. If those of other parts are asked for
 * later, all are.
 */
struct code_image *code_images_get(struct code_images *cache, const struct module *m,
				   const struct code_parts *parts);
/* False: its branches are not found within ms milliseconds. */
bool code_image_wait(struct code_image *v, unsigned ms);
/*
 * Ends the search for branches if it still goes on, in milliseconds: then none are known,
 * and few sites take jumps (HOOK_REASON_UNSEARCHED).
 */
void code_image_stop(struct code_image *v);
/* Whether code_image_stop() has ended it. */
bool code_image_is_cut(const struct code_image *v);
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
