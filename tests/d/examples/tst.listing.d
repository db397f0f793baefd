/* SPDX-License-Identifier: MIT */
/* command: -ln BEGIN */
