/* SPDX-License-Identifier: MIT */
BEGIN { setopt("nosuch", "3"); printf("on\n"); exit(0); }
