/* SPDX-License-Identifier: MIT */
#pragma D option destructive
BEGIN { system("echo on"); exit(0); }
