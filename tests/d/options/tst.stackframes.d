/* SPDX-License-Identifier: MIT */
/* there is no kernel stack, however deep */
/* run: -x stackframes=5 -x jstackstrsize=100 -x jstackframes=3 */
BEGIN { stack(); exit(0); }
