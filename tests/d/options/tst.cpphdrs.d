/* SPDX-License-Identifier: MIT */
/* run: -C -x cpphdrs -x cppargs=-DANSWER=42 */
BEGIN { printf("%d\n", ANSWER); exit(0); }
