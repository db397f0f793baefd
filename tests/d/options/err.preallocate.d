/* SPDX-License-Identifier: MIT */
/* command: -x preallocate=1x -n BEGIN */
