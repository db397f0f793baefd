/* SPDX-License-Identifier: MIT */
BEGIN { x = 7; @ = sum(100); normalize(@, x * 2); exit(0); }
