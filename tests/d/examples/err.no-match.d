/* SPDX-License-Identifier: MIT */
/* command: -n 'nosuch:::probe' */
