/* SPDX-License-Identifier: MIT */
BEGIN { printf("%hd %hi %hu %hx %hX %ho\n", (short)-5, (short)-5, (unsigned short)65535, (short)255, (uint16_t)255, (int16_t)8); exit(0); }
