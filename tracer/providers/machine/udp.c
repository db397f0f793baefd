/* SPDX-License-Identifier: MIT */
/* The provider udp: datagrams that calls give to the kernel, and that calls get. */
#include "tracer/providers/machine/network.h"

static const struct kernel_view sent = {.conditions = {NETWORK_OF_CALL(IPPROTO_UDP)},
					.args = NETWORK_CALL};
/* One that is only looked at comes once more. */
static const struct kernel_view received = {
	.conditions = {NETWORK_OF_CALL(IPPROTO_UDP),
		       {"flags", KERNEL_NO_BIT, MSG_PEEK}},
	.args = NETWORK_CALL};

static const struct provider_argument datagram[] = {
	{"pktinfo_t *", "kernel_net_packet"},
	{"csinfo_t *", "kernel_net_socket"},
	{"ipinfo_t *", "kernel_udp_ip"},
	{"udpsinfo_t *", "kernel_udp_state"},
	{"udpinfo_t *", "kernel_udp_header"}};

static const struct machine_row rows[] = {
	{"send", MACHINE_EVENT("sock", "sock_send_length", &sent),
	 MACHINE_ARGS(datagram)},
	{"receive", MACHINE_EVENT("sock", "sock_recv_length", &received),
	 MACHINE_ARGS(datagram)},
};

MACHINE_PROVIDER(udp);
