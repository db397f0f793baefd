/* SPDX-License-Identifier: MIT */
BEGIN { printf("%d %i %u %x %X %o %c|%s|%p %#x %+d\n", 0, 0, 0, 0, 0, 0, 'a', "", 0, 0, 0); exit(0); }
