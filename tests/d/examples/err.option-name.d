/* SPDX-License-Identifier: MIT */
/* command: -x nosuch=1 -n BEGIN */
