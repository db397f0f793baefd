/* SPDX-License-Identifier: MIT */
/* accepted; nothing here could depend on them */
/* run: -x aggpercpu -x iregs=16 -x tregs=4 -x kdefs -x knodefs -x udefs -x pgmax=2 -x preallocate=1m */
BEGIN { printf("done\n"); exit(0); }
