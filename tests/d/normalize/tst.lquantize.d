/* SPDX-License-Identifier: MIT */
BEGIN { @ = lquantize(15, 0, 100, 10, 30); @ = lquantize(25, 0, 100, 10, -10); normalize(@, 4); exit(0); }
