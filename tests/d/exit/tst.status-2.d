/* SPDX-License-Identifier: MIT */
BEGIN { exit(2); }
