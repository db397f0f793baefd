/* SPDX-License-Identifier: MIT */
BEGIN { printf("%p", "abc"); exit(0); }
