/* SPDX-License-Identifier: MIT */
#include "tracer/export/http_library.h"
#include "vm/base/host/shared_library.h"

#define LIBRARY "libmicrohttpd.so.12"

int http_library_load(struct http_calls *out, struct err *e)
{
	const struct shared_function wanted[] = {
#define X(call) {"MHD_" #call, &out->call},
		HTTP_CALLS(X)
#undef X
	};
	const char *why;

	if (!shared_library_load(LIBRARY, wanted, ARRAY_LEN(wanted), &why))
		return err_set(e, STATUS_IO,
			       "cannot serve metrics without %s: %s: install it "
			       "('apt-get install libmicrohttpd12')",
			       LIBRARY, why);
	return 0;
}
