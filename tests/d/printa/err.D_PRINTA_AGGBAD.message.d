/* SPDX-License-Identifier: MIT */
BEGIN { printa(@nosuch); exit(0); }
