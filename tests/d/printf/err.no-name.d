/* SPDX-License-Identifier: MIT */
BEGIN { printf("%5", 1); }
