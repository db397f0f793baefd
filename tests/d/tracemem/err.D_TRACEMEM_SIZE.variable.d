/* SPDX-License-Identifier: MIT */
BEGIN { n = 5; tracemem(0, n); exit(0); }
