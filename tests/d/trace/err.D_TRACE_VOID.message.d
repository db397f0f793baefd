/* SPDX-License-Identifier: MIT */
BEGIN { trace((void)1); exit(0); }
