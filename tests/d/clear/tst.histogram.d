/* SPDX-License-Identifier: MIT */
BEGIN { @ = quantize(100); }
BEGIN { clear(@); printa(@); exit(0); }
