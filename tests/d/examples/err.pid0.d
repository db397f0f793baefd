/* SPDX-License-Identifier: MIT */
/* command: -n 'pid0:::entry' */
