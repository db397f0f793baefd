/* SPDX-License-Identifier: MIT */
/*
 * Files that are installed with dtrace. They are found from its own place, so that an
 * installation may be moved as a whole.
 */
#ifndef TRACER_BASE_INSTALLED_H
#define TRACER_BASE_INSTALLED_H

#include "vm/base/base.h"

/*
 * Writes the path of a file, given relative to the folder of the running program; the
 * file need not exist. False if the place of the program is not known or cap is too
 * small.
 */
bool installed_path(const char *relative, char *path, size_t cap);

#endif
