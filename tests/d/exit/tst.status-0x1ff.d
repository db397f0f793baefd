/* SPDX-License-Identifier: MIT */
BEGIN { exit(0x1ff); }
