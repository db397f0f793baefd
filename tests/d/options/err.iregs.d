/* SPDX-License-Identifier: MIT */
/* command: -x iregs=x -n BEGIN */
