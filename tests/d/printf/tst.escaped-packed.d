/* SPDX-License-Identifier: MIT */
BEGIN { printf("%C %C %C %C %C\n", 'abcd', '\n', '\0', '\\', 7); exit(0); }
