/* SPDX-License-Identifier: MIT */
BEGIN { printf("%ld %lu %lx %lld %llu %llx %llo %li\n", 5L, 5UL, 255L, -5LL, 5ULL, 255ULL, 8LL, -3L); exit(0); }
