/* SPDX-License-Identifier: MIT */
/*
 * Tools: D scripts that are installed with dtrace, in share/dtrace/tools beside the
 * folder of its program, and named by -s without a folder.
 */
#ifndef TRACER_TOOL_H
#define TRACER_TOOL_H

#include "vm/base/host/strbuf.h"

/*
 * The path of the script that -s NAME means: of a tool (NAME or NAME.d) if NAME has no
 * slash and no such file exists in the current folder, else NAME itself. The result is
 * valid as long as name and *own, which the caller releases.
 */
const char *tool_path(const char *name, struct strbuf *own);
/*
 * Appends one line for each tool, its name and its question, in order of name. Nothing if
 * name can be no tool's (it is empty, or has a slash or a dot), or if there are no tools.
 */
void tool_suggest(const char *name, struct strbuf *text);

#endif
