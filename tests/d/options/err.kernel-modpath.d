/* SPDX-License-Identifier: MIT */
/* command: -x modpath=/x -n BEGIN */
