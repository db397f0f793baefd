/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { printf("%d %s %s\n", $1 + 1, $2, $$3); exit(0); }' 12 '"x y"' 7 */
