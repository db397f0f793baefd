/* SPDX-License-Identifier: MIT */
BEGIN { trace(printf("x")); exit(0); }
