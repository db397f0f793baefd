/* SPDX-License-Identifier: MIT */
BEGIN { printf("%c", "s"); }
