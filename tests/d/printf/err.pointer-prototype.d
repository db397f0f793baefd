/* SPDX-License-Identifier: MIT */
BEGIN { printf("%p", "s"); }
