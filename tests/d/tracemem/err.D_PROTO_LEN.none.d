/* SPDX-License-Identifier: MIT */
BEGIN { tracemem(); exit(0); }
