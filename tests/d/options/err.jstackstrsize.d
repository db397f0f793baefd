/* SPDX-License-Identifier: MIT */
/* command: -x jstackstrsize=1x -n BEGIN */
