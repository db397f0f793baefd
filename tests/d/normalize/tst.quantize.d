/* SPDX-License-Identifier: MIT */
/* Counts are divided, bars are not. */
BEGIN { @ = quantize(1, 100); @ = quantize(5, 55); normalize(@, 10); exit(0); }
