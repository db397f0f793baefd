/* SPDX-License-Identifier: MIT */
#include "tracer/export/metrics.h"
#include "tracer/export/connections.h"
#include "tracer/export/export_form.h"
#include "tracer/export/http_library.h"
#include "vm/base/host/oom.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define MEMORY_MAX    ((size_t)16 << 10) /* of a connection, for a request */
#define COST_SHARE    10 /* making pages takes one part in so many of the time */
#define NSEC_PER_MSEC UINT64_C(1000000)

#define TYPE_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define TYPE_TEXT	 "text/plain; version=0.0.4; charset=utf-8"

/* A page as it was made last. Connections that still send an older one hold it. */
struct page {
	struct MHD_Response *response;
	uint64_t until; /* it is served again before that; ns of CLOCK_MONOTONIC */
};

struct metrics {
	struct MHD_Daemon *daemon;
	int epoll;
	const struct options *options;
	struct openmetrics *source;
	struct connections clients;
	bool is_local; /* no address was given: only local names of this machine */
	struct page pages[OPENMETRICS_COUNT];
};

/* Set before the first daemon starts. */
static struct http_calls http;

/* ---- answers ---- */

static struct MHD_Response *
response_of(char *text, size_t n, enum MHD_ResponseMemoryMode mode, const char *type)
{
	struct MHD_Response *r = http.create_response_from_buffer(n, text, mode);

	if (r)
		http.add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return r;
}

static struct page *fresh_page(struct metrics *m, enum openmetrics_format format)
{
	struct page *p = &m->pages[format];
	uint64_t now = export_time(0), cost, rest;
	struct strbuf text = {0};

	if (p->response && now < p->until)
		return p;
	if (p->response)
		http.destroy_response(p->response);
	openmetrics_render(m->source, format, &text);
	p->response =
		response_of(text.data, text.len, MHD_RESPMEM_MUST_FREE,
			    format == OPENMETRICS_1 ? TYPE_OPENMETRICS : TYPE_TEXT);
	cost = export_time(0) - now;
	rest = m->options->aggrate;
	p->until = now + cost + (cost * COST_SHARE > rest ? cost * COST_SHARE : rest);
	return p;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status,
			      const char *why)
{
	struct MHD_Response *r =
		response_of((char *)(uintptr_t)why, strlen(why), MHD_RESPMEM_PERSISTENT,
			    "text/plain; charset=utf-8");
	enum MHD_Result rc;

	if (!r)
		return MHD_NO;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		http.add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	http.add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	rc = http.queue_response(c, status, r);
	http.destroy_response(r);
	return rc;
}

/* The old format only for those that ask for it and not for the other. */
static enum openmetrics_format format_for(struct MHD_Connection *c)
{
	const char *accept = http.lookup_connection_value(c, MHD_HEADER_KIND,
							  MHD_HTTP_HEADER_ACCEPT);

	if (accept && strcasestr(accept, "text/plain") &&
	    !strcasestr(accept, "application/openmetrics-text"))
		return OPENMETRICS_TEXT;
	return OPENMETRICS_1;
}

static bool has_body(struct MHD_Connection *c)
{
	const char *length = http.lookup_connection_value(
		c, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return (length && strcmp(length, "0") != 0) ||
	       http.lookup_connection_value(c, MHD_HEADER_KIND,
					    MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

/* A browser may have been led here by the name of another machine. */
static bool is_local_name(const char *host)
{
	static const char v6[] = "[::1]", name[] = "localhost";
	size_t n = strcspn(host, *host == '[' ? "]" : ":");
	char text[INET_ADDRSTRLEN] = "";
	struct in_addr address;

	n += host[n] == ']';
	if (host[n] && host[n] != ':')
		return false;
	if ((n == strlen(v6) && memcmp(host, v6, n) == 0) ||
	    (n == strlen(name) && strncasecmp(host, name, n) == 0))
		return true;
	if (n < sizeof(text))
		memcpy(text, host, n);
	return inet_pton(AF_INET, text, &address) == 1 &&
	       ntohl(address.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
}

static bool is_for_another(const struct metrics *m, struct MHD_Connection *c)
{
	const char *host =
		http.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	return m->is_local && host && !is_local_name(host);
}

static int descriptor_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		http.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **state)
{
	static int has_headers;
	struct metrics *m = ctx;
	struct page *p;

	(void)version;
	(void)data;
	(void)size;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (has_body(c))
		return refuse(c, MHD_HTTP_BAD_REQUEST, "a request has no body here\n");
	if (!*state) { /* only the headers have been read */
		*state = &has_headers;
		return MHD_YES;
	}
	connections_answer(&m->clients, descriptor_of(c), true, export_time(0));
	if (is_for_another(m, c))
		return refuse(
			c, MHD_HTTP_FORBIDDEN,
			"the name of the host is not local: ask 127.0.0.1, or give "
			"--metrics an address\n");
	if (strcmp(url, "/metrics") != 0)
		return refuse(c, MHD_HTTP_NOT_FOUND, "the metrics are at /metrics\n");
	p = fresh_page(m, format_for(c));
	return p->response ? http.queue_response(c, MHD_HTTP_OK, p->response) : MHD_NO;
}

static void on_answered(void *ctx, struct MHD_Connection *c, void **state,
			enum MHD_RequestTerminationCode how)
{
	struct metrics *m = ctx;

	(void)state;
	(void)how;
	connections_answer(&m->clients, descriptor_of(c), false, export_time(0));
}

static void on_connection(void *ctx, struct MHD_Connection *c, void **state,
			  enum MHD_ConnectionNotificationCode what)
{
	struct metrics *m = ctx;

	(void)state;
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		connections_add(&m->clients, descriptor_of(c), export_time(0));
	else
		connections_remove(&m->clients, descriptor_of(c));
}

/* ---- the socket ---- */

/* Splits [ADDR:]PORT; false if it is none. */
static bool parse_address(const char *text, char *host, size_t cap, const char **port)
{
	const char *colon = strrchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : 0;
	unsigned long number;
	char *end;

	*port = colon ? colon + 1 : text;
	number = strtoul(*port, &end, 10);
	if (**port < '0' || **port > '9' || *end || number > UINT16_MAX || n >= cap)
		return false;
	if (!colon) {
		snprintf(host, cap, "127.0.0.1");
		return true;
	}
	if (text[0] == '[' && n > 2 && text[n - 1] == ']')
		snprintf(host, cap, "%.*s", (int)(n - 2), text + 1);
	else if (memchr(text, ':', n))
		return false;
	else
		snprintf(host, cap, "%.*s", (int)n, text);
	if (strcasecmp(host, "localhost") == 0)
		snprintf(host, cap, "127.0.0.1");
	return n > 0;
}

static int listen_at(const char *address, struct err *e)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				       .ai_socktype = SOCK_STREAM};
	const char *port;
	struct addrinfo *a;
	char host[64];
	int fd, on = 1;

	if (!parse_address(address, host, sizeof(host), &port) ||
	    getaddrinfo(host, port, &hints, &a))
		return err_set(e, STATUS_INVAL,
			       "bad address '%s' for metrics: it is [ADDR:]PORT, with "
			       "ADDR in numbers, an IPv6 one in brackets",
			       address);
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, SOMAXCONN)) {
		err_errno(e, STATUS_IO, "cannot serve metrics at '%s'", address);
		if (fd >= 0)
			close(fd);
		fd = STATUS_IO;
	}
	freeaddrinfo(a);
	return fd;
}

/* The port was 0: says which one it is. */
static void say_port(struct out *o, const char *address, int fd)
{
	const char *colon = strrchr(address, ':');
	struct sockaddr_storage name;
	socklen_t n = sizeof(name);
	char port[NI_MAXSERV];

	if (strtoul(colon ? colon + 1 : address, NULL, 10) != 0 ||
	    getsockname(fd, (struct sockaddr *)&name, &n) ||
	    getnameinfo((struct sockaddr *)&name, n, NULL, 0, port, sizeof(port),
			NI_NUMERICSERV))
		return;
	out_message(o, "metrics at http://%.*s:%s/metrics",
		    colon ? (int)(colon - address) : 9, colon ? address : "127.0.0.1",
		    port);
}

static int start(struct metrics *m, int fd)
{
	const union MHD_DaemonInfo *info;

	m->daemon = http.start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, answer, m, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX + CONNECTIONS_SPARE,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, m,
		MHD_OPTION_NOTIFY_COMPLETED, on_answered, m,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY_MAX, MHD_OPTION_END);
	info = m->daemon ? http.get_daemon_info(m->daemon, MHD_DAEMON_INFO_EPOLL_FD)
			 : NULL;
	if (!info)
		return STATUS_IO;
	m->epoll = info->epoll_fd;
	return 0;
}

int metrics_open(struct metrics **out, const struct export_config *config,
		 struct consumer *consumer, struct err *e)
{
	struct metrics *m;
	int fd, rc = http_library_load(&http, e);

	if (rc < 0)
		return rc;
	fd = listen_at(config->options->metrics, e);
	if (fd < 0)
		return fd;
	m = oom_calloc(1, sizeof(*m));
	m->options = config->options;
	m->epoll = -1;
	m->is_local = !strchr(config->options->metrics, ':');
	if (start(m, fd)) {
		if (!m->daemon)
			close(fd);
		metrics_close(m);
		return err_set(e, STATUS_IO, "cannot serve metrics at '%s'",
			       config->options->metrics);
	}
	m->source = openmetrics_new(config, consumer);
	say_port(config->out, config->options->metrics, fd);
	*out = m;
	return 0;
}

void metrics_close(struct metrics *m)
{
	if (!m)
		return;
	if (m->daemon)
		http.stop_daemon(m->daemon); /* closes the socket */
	for (int i = 0; i < OPENMETRICS_COUNT; i++)
		if (m->pages[i].response)
			http.destroy_response(m->pages[i].response);
	openmetrics_free(m->source);
	free(m);
}

int metrics_fd(const struct metrics *m)
{
	return m ? m->epoll : -1;
}

uint64_t metrics_wait(struct metrics *m)
{
	MHD_UNSIGNED_LONG_LONG ms;
	uint64_t now, next;

	if (!m)
		return UINT64_MAX;
	now = export_time(0);
	next = connections_expire(&m->clients, now);
	next = next == UINT64_MAX ? next : next - now;
	if (http.get_timeout(m->daemon, &ms) != MHD_YES || ms >= UINT32_MAX)
		return next;
	return min_u64(next, ms * NSEC_PER_MSEC);
}

void metrics_serve(struct metrics *m)
{
	if (!m)
		return;
	connections_expire(&m->clients, export_time(0));
	http.run(m->daemon);
}
