/* SPDX-License-Identifier: MIT */
BEGIN { printf("[%3c][%-3c][%c]\n", 'x', 'y', 122); exit(0); }
