/* SPDX-License-Identifier: MIT */
BEGIN { printf("%lq", "x"); exit(0); }
