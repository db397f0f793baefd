/* SPDX-License-Identifier: MIT */
/* No program is traced: an address has no name. */
BEGIN { printf("%a %A %20a|%-10A|\n", 0x1234, 0x10, 0xabc, 0xff); exit(0); }
