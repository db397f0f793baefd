/* SPDX-License-Identifier: MIT */
/* command: -x stackframes=x -n BEGIN */
