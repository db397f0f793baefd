/* SPDX-License-Identifier: MIT */
/*
 * What the checker and the generator keep for one run of the command.
 */
#ifndef DLANG_BACKEND_H
#define DLANG_BACKEND_H

#include "dlang/image.h"
#include "dlang/internal.h"
#include "dlang/scope.h"
#include "dlang/stability.h"
#include "dlang/type.h"

/* Nodes that inlines and translators may add to one declaration or clause. */
#define EXPANDED_MAX 500000

struct backend {
	struct types types;
	struct scope scope;
	struct image image;
	struct stability used; /* what the present clause used so far, at the least */
	uint32_t hidden;       /* stability_hide_begin() without end */
	struct stability_fields *declared;
	struct translator *translators;
	struct declared_provider *providers;
	uint32_t expanded; /* nodes so far in the present declaration or clause */
	struct {
		struct stability_pair *data; /* by clause number */
		size_t len, cap;
	} stability;
};

static inline struct types *types_of(struct dlang *d)
{
	return &d->backend->types;
}

static inline struct scope *scope_of(struct dlang *d)
{
	return &d->backend->scope;
}

/* strsize in force. */
uint32_t backend_strsize(const struct dlang *d);

#endif
