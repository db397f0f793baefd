/* SPDX-License-Identifier: MIT */
/*
 * The provider ip: packets that pass a network device. A packet comes in by one of the
 * functions for drivers.
 */
#include "tracer/providers/machine/machine.h"

#include <net/ethernet.h>

#define PACKET(number, offset)                                                         \
	{                                                                              \
		.conditions = {{"protocol", KERNEL_IS, (number)}},                     \
		.args = {MACHINE_FIELD("skbaddr"), MACHINE_FIELD("protocol"),          \
			 MACHINE_FIELD("len"), MACHINE_FIELD("name"),                  \
			 MACHINE_FIELD(offset)},                                       \
	}

static const struct kernel_view out4 = PACKET(ETHERTYPE_IP, "network_offset"),
				out6 = PACKET(ETHERTYPE_IPV6, "network_offset"),
				in4 = PACKET(ETHERTYPE_IP, NULL),
				in6 = PACKET(ETHERTYPE_IPV6, NULL);

static const struct provider_argument packet[] = {
	{"pktinfo_t *", "kernel_net_packet"},
	{"csinfo_t *", "kernel_ip_socket"},
	{"ipinfo_t *", "kernel_ip_header"},
	{"ifinfo_t *", "kernel_ip_interface"}};

#define SENT(view, other) MACHINE_EVENT_AND("net", "net_dev_start_xmit", view, other)
#define RECEIVED(event, other)                                                         \
	MACHINE_EVENT_AND("net", event, &in4,                                          \
			  MACHINE_EVENT_AND("net", event, &in6, other))

static const struct machine_row rows[] = {
	{"send", SENT(&out4, SENT(&out6, NULL)), MACHINE_ARGS(packet)},
	{"receive",
	 RECEIVED("netif_rx_entry",
		  RECEIVED("napi_gro_receive_entry",
			   RECEIVED("napi_gro_frags_entry",
				    RECEIVED("netif_receive_skb_entry",
					     RECEIVED("netif_receive_skb_list_entry",
						      NULL))))),
	 MACHINE_ARGS(packet)},
	MACHINE_REFUSED("drop-in", "sdt:skb::kfree_skb has what is dropped, and why"),
	MACHINE_REFUSED("drop-out", "sdt:skb::kfree_skb has what is dropped, and why"),
};

MACHINE_PROVIDER(ip);
