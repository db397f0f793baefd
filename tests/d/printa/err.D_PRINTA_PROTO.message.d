/* SPDX-License-Identifier: MIT */
BEGIN { printa("x"); exit(0); }
