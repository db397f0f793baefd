/* SPDX-License-Identifier: MIT */
BEGIN { printf("[%lc][%wc][%5wc][%-5lc]\n", 0xe9, 0x20ac, 0x41, 0x42); exit(0); }
