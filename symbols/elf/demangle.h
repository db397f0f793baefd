/* SPDX-License-Identifier: MIT */
/*
 * C++ and Rust names as their programmers wrote them.
 */
#ifndef SYMBOLS_ELF_DEMANGLE_H
#define SYMBOLS_ELF_DEMANGLE_H

#include "vm/base/base.h"
#include "vm/base/host/strbuf.h"

enum demangle_form {
	DEMANGLE_BARE, /* ns::f<int>, of clones too */
	DEMANGLE_FULL, /* ns::f<int>(char) const [clone .part.0] */
};

/*
 * Appends the name. False, and nothing appended, when it is not a mangled one, or
 * one so long or so deep, or so large when written out, that no compiler made it.
 * A name may be built to take years: *timeouts_left is how many more of those are tried
 * for some milliseconds; at 0 long names are refused.
 */
bool demangle(const char *name, enum demangle_form form, unsigned *timeouts_left,
	      struct strbuf *out);

/*
 * What the file's name for the function holds as well, so that few names need be
 * demangled: the last identifier of the name, or "". A constructor's is its class's,
 * which may be abbreviated.
 */
const char *demangle_needle(const char *name);

#endif
