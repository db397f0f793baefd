/* SPDX-License-Identifier: MIT */
/*
 * The provider tcp. No event has the header of a segment: connections are known from the
 * changes of their state, what comes in from tcp_probe, what goes out from calls of
 * send(2) and the like.
 */
#include "tracer/providers/machine/network.h"

#include <errno.h>

/* include/net/tcp_states.h */
#define ESTABLISHED 1
#define SYN_SENT    2
#define SYN_RECV    3

#define OF_TCP                                                                         \
	{                                                                              \
		"protocol", KERNEL_IS, IPPROTO_TCP                                     \
	}
#define FROM(state)                                                                    \
	{                                                                              \
		"oldstate", KERNEL_IS, (state)                                         \
	}
#define TO(state)                                                                      \
	{                                                                              \
		"newstate", KERNEL_IS, (state)                                         \
	}

#define PORTS_AND_ADDRESSES                                                            \
	MACHINE_FIELD("sport"), MACHINE_FIELD("dport"), MACHINE_FIELD("family"),       \
		{"saddr", 0, KERNEL_ADDRESS}, {"daddr", 0, KERNEL_ADDRESS},            \
		{"saddr_v6", 0, KERNEL_ADDRESS},                                       \
	{                                                                              \
		"daddr_v6", 0, KERNEL_ADDRESS                                          \
	}
#define CONNECTION                                                                     \
	{                                                                              \
		MACHINE_FIELD("skaddr"), MACHINE_FIELD("oldstate"),                    \
			MACHINE_FIELD("newstate"), PORTS_AND_ADDRESSES                 \
	}

static const struct kernel_view requested = {.conditions = {OF_TCP, TO(SYN_SENT)},
					     .args = CONNECTION};
static const struct kernel_view connected = {
	.conditions = {OF_TCP, FROM(SYN_SENT), TO(ESTABLISHED)}, .args = CONNECTION};
static const struct kernel_view accepted = {
	.conditions = {OF_TCP, FROM(SYN_RECV), TO(ESTABLISHED)}, .args = CONNECTION};
static const struct kernel_view changed = {.conditions = {OF_TCP}, .args = CONNECTION};
static const struct kernel_view refused = {
	.conditions = {OF_TCP, {"error", KERNEL_IS, ECONNREFUSED}},
	.args = {MACHINE_FIELD(NULL), MACHINE_FIELD(NULL), MACHINE_FIELD(NULL),
		 PORTS_AND_ADDRESSES}};
static const struct kernel_view sent = {.conditions = {NETWORK_OF_CALL(IPPROTO_TCP)},
					.args = NETWORK_CALL};
static const struct kernel_view received = {.args = {MACHINE_FIELD("skaddr"),
						     MACHINE_FIELD("data_len"),
						     {"saddr", 0, KERNEL_ADDRESS},
						     {"daddr", 0, KERNEL_ADDRESS},
						     MACHINE_FIELD("snd_nxt"),
						     MACHINE_FIELD("snd_una"),
						     MACHINE_FIELD("snd_cwnd"),
						     MACHINE_FIELD("snd_wnd"),
						     MACHINE_FIELD("srtt"),
						     MACHINE_FIELD("rcv_wnd")}};

#define FIRST                                                                          \
	{"pktinfo_t *", "kernel_net_packet"},                                          \
	{                                                                              \
		"csinfo_t *", "kernel_net_socket"                                      \
	}

static const struct provider_argument out[] = {
	FIRST,
	{"ipinfo_t *", "kernel_tcp_ip_out"},
	{"tcpsinfo_t *", "kernel_tcp_state"},
	{"tcpinfo_t *", "kernel_tcp_header_out"}};
static const struct provider_argument in[] = {FIRST,
					      {"ipinfo_t *", "kernel_tcp_ip_in"},
					      {"tcpsinfo_t *", "kernel_tcp_state"},
					      {"tcpinfo_t *", "kernel_tcp_header_in"}};
static const struct provider_argument change[] = {
	FIRST,
	{"ipinfo_t *", "kernel_tcp_ip_out"},
	{"tcpsinfo_t *", "kernel_tcp_state"},
	{"tcpinfo_t *", "kernel_tcp_header_out"},
	{"tcplsinfo_t *", "kernel_tcp_last_state"}};
static const struct provider_argument call[] = {
	FIRST,
	{"ipinfo_t *", "kernel_tcp_call_ip"},
	{"tcpsinfo_t *", "kernel_tcp_call_state"},
	{"tcpinfo_t *", "kernel_tcp_call_header"}};
static const struct provider_argument segment[] = {
	FIRST,
	{"ipinfo_t *", "kernel_tcp_segment_ip"},
	{"tcpsinfo_t *", "kernel_tcp_segment_state"},
	{"tcpinfo_t *", "kernel_tcp_segment_header"}};

#define STATE(view) MACHINE_EVENT("sock", "inet_sock_set_state", view)

static const struct machine_row rows[] = {
	{"connect-request", STATE(&requested), MACHINE_ARGS(out)},
	{"connect-established", STATE(&connected), MACHINE_ARGS(in)},
	{"connect-refused", MACHINE_EVENT("sock", "inet_sk_error_report", &refused),
	 MACHINE_ARGS(in)},
	{"accept-established", STATE(&accepted), MACHINE_ARGS(in)},
	{"state-change", STATE(&changed), MACHINE_ARGS(change)},
	{"send", MACHINE_EVENT("sock", "sock_send_length", &sent), MACHINE_ARGS(call)},
	{"receive", MACHINE_EVENT("tcp", "tcp_probe", &received),
	 MACHINE_ARGS(segment)},
	MACHINE_REFUSED("accept-refused",
			"the kernel's event of a reset does not tell whether somebody "
			"wanted to connect: sdt:tcp::tcp_send_reset has all of them"),
};

MACHINE_PROVIDER(tcp);
