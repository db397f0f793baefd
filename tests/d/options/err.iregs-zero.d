/* SPDX-License-Identifier: MIT */
/* command: -x iregs=0 -n BEGIN */
