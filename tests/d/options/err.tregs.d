/* SPDX-License-Identifier: MIT */
/* command: -x tregs=x -n BEGIN */
