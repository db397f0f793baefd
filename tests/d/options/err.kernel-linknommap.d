/* SPDX-License-Identifier: MIT */
/* command: -x linknommap -n BEGIN */
