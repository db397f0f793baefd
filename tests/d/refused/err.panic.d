/* SPDX-License-Identifier: MIT */
BEGIN { panic(); exit(0); }
