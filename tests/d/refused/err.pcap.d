/* SPDX-License-Identifier: MIT */
BEGIN { pcap((void *)0, 0); exit(0); }
