/* SPDX-License-Identifier: MIT */
BEGIN { printf("%z", 1); }
