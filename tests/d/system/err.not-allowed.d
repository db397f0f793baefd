/* SPDX-License-Identifier: MIT */
BEGIN { system("true"); exit(0); }
