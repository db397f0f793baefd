/* SPDX-License-Identifier: MIT */
BEGIN { tracemem(0, 5, "x"); exit(0); }
