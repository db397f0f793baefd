/* SPDX-License-Identifier: MIT */
BEGIN { setopt(); exit(0); }
