/* SPDX-License-Identifier: MIT */
BEGIN { tracemem(0, 1 << 20); exit(0); }
