/* SPDX-License-Identifier: MIT */
/* command: -x maxframes=3 -n BEGIN */
