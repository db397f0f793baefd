/* SPDX-License-Identifier: MIT */
/* run: -e */
BEGIN { exit(5); }
