/* SPDX-License-Identifier: MIT */
/*
 * The environment of the commands of -c: that of dtrace, changed by the options
 * setenv and unsetenv in the order given.
 */
#ifndef TRACER_ENVIRONMENT_H
#define TRACER_ENVIRONMENT_H

#include "tracer/options.h"

char **environment_new(const struct options *o);
void environment_free(char **env);

#endif
