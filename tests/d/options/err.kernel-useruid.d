/* SPDX-License-Identifier: MIT */
/* command: -x useruid=5 -n BEGIN */
