/* SPDX-License-Identifier: MIT */
/* %q makes one word of a shell of any text. */
BEGIN { printf("%q %q %q %6q|%-6q|%.1q\n", "a b", "it's", "", "x", "y", "zz"); exit(0); }
