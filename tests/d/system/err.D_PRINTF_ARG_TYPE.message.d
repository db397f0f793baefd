/* SPDX-License-Identifier: MIT */
BEGIN { system("echo %d", "x"); exit(0); }
