/* SPDX-License-Identifier: MIT */
BEGIN { breakpoint(); exit(0); }
