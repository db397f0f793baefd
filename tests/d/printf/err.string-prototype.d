/* SPDX-License-Identifier: MIT */
BEGIN { printf("%s", 5); }
