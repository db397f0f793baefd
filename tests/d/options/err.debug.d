/* SPDX-License-Identifier: MIT */
/* command: -x debug=x -n BEGIN */
