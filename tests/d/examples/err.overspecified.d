/* SPDX-License-Identifier: MIT */
/* command: -f 'a:b:c:d' */
