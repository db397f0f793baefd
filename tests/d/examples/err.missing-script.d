/* SPDX-License-Identifier: MIT */
/* command: -s missing.d */
