/* SPDX-License-Identifier: MIT */
/* run: -x droptags -x specsize=64 */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("%100s %100s", probename, execname); }
BEGIN { commit(self->s); }
BEGIN { exit(0); }
