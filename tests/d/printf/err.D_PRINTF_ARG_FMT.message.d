/* SPDX-License-Identifier: MIT */
BEGIN { printf(execname); exit(0); }
