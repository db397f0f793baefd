/* SPDX-License-Identifier: MIT */
BEGIN { printf("%1$d", 1); }
