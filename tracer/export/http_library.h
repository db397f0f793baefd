/* SPDX-License-Identifier: MIT */
/*
 * The calls of libmicrohttpd that are used. If it were linked, every run would load it
 * and nine libraries that it needs, TLS among them: half of the time that dtrace needs
 * to start, and 2 MB.
 */
#ifndef TRACER_EXPORT_HTTP_LIBRARY_H
#define TRACER_EXPORT_HTTP_LIBRARY_H

#include "vm/base/host/err.h"

#include <microhttpd.h>

#define HTTP_CALLS(X)                                                                  \
	X(add_response_header)                                                         \
	X(create_response_from_buffer)                                                 \
	X(destroy_response)                                                            \
	X(get_connection_info)                                                         \
	X(get_daemon_info)                                                             \
	X(get_timeout)                                                                 \
	X(lookup_connection_value)                                                     \
	X(queue_response)                                                              \
	X(run)                                                                         \
	X(start_daemon)                                                                \
	X(stop_daemon)

/* Each is MHD_NAME of the library's manual. */
struct http_calls {
#define X(name) __typeof__(&MHD_##name) name;
	HTTP_CALLS(X)
#undef X
};

/* Loads the library. STATUS_IO: it cannot be used, e says what to do. */
int http_library_load(struct http_calls *out, struct err *e);

#endif
