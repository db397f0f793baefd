/* SPDX-License-Identifier: MIT */
/* command: -x unodefs -n BEGIN */
