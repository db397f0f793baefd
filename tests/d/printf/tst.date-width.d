/* SPDX-License-Identifier: MIT */
BEGIN { printf("[%25Y][%-25Y][%.4Y]\n", 0ULL, 0ULL, 0ULL); exit(0); }
