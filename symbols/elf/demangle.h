/* SPDX-License-Identifier: MIT */
/*
 * C++ and Rust names as written in their source.
 */
#ifndef SYMBOLS_ELF_DEMANGLE_H
#define SYMBOLS_ELF_DEMANGLE_H

#include "vm/base/base.h"
#include "vm/base/host/strbuf.h"

enum demangle_form {
	DEMANGLE_BARE, /* ns::f<int>; of clones the same */
	DEMANGLE_FULL, /* ns::f<int>(char) const [clone .part.0] */
};

/*
 * Appends the demangled name to out. Returns false, and appends nothing, if name is not
 * mangled, or if it is longer, nested deeper or expands to more text than any compiler
 * writes.
 *
 * A malicious name can take years to expand. Each attempt is stopped after some
 * milliseconds and decrements *timeouts_left; at 0 long names are rejected unread.
 * Uses SIGVTALRM and a timer of the calling thread.
 */
bool demangle(const char *name, enum demangle_form form, unsigned *timeouts_left,
	      struct strbuf *out);

/*
 * Whether text is the bare name but for parts that the source need not write: ABI tags
 * ("[abi:cxx11]"), which compilers add, and arguments of templates ("<int>").
 */
bool demangle_is_source_name(const char *text, const char *bare);

/*
 * Text that the mangled form of a demangled name contains, to sort out most symbols
 * without demangling them: the last identifier of name, or "" if that is not certain.
 * (A constructor is named like its class, which the mangled name may abbreviate.)
 */
const char *demangle_needle(const char *name);

#endif
