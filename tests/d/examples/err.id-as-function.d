/* SPDX-License-Identifier: MIT */
/* command: -f 4 */
