/* SPDX-License-Identifier: MIT */
BEGIN { @["key", 5, (char)7] = sum(10); printa("[%-8s][%3d][%03d][%@8d][%-@8d]\n", @); exit(0); }
