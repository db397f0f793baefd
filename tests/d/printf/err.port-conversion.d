/* SPDX-License-Identifier: MIT */
BEGIN { printf("%P", 5); }
