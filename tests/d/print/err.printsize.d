/* SPDX-License-Identifier: MIT */
/* run: -x printsize=65537 */
BEGIN { exit(0); }
