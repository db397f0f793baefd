/* SPDX-License-Identifier: MIT */
/*
 * The environment of the command of -c: that of dtrace, changed by the options setenv and
 * unsetenv in the order in which they were given.
 */
#ifndef TRACER_TARGETS_ENVIRONMENT_H
#define TRACER_TARGETS_ENVIRONMENT_H

#include "tracer/base/options.h"

char **environment_new(const struct options *o);
void environment_free(char **env);

#endif
