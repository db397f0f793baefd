/* SPDX-License-Identifier: MIT */
BEGIN { print(1, 2); exit(0); }
