/* SPDX-License-Identifier: MIT */
BEGIN { tracemem("hello", 5); exit(0); }
