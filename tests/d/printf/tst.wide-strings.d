/* SPDX-License-Identifier: MIT */
BEGIN { printf("%ws %ls|%6ws|%.2ls\n", "a", "b", "c", "def"); exit(0); }
