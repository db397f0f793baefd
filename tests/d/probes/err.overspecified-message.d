/* SPDX-License-Identifier: MIT */
/* command: -m ':a::b' */
