/* SPDX-License-Identifier: MIT */
/*
 * The environment of the commands of -c: that of dtrace, changed by the options
 * setenv and unsetenv in the order given.
 */
#ifndef TRACER_TARGETS_ENVIRONMENT_H
#define TRACER_TARGETS_ENVIRONMENT_H

#include "tracer/base/options.h"

char **environment_new(const struct options *o);
void environment_free(char **env);

#endif
