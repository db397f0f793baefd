/* SPDX-License-Identifier: MIT */
BEGIN { printf("%k", 5); }
