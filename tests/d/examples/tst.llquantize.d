/* SPDX-License-Identifier: MIT */
BEGIN { @ = llquantize(5, 10, 0, 2, 10); @ = llquantize(29, 10, 0, 2, 10); exit(0); }
