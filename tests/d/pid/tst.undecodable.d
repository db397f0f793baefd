/* SPDX-License-Identifier: MIT */
/* entry needs no decoding; a glob leaves out what cannot be had, and says so */
/* run: -c @undecodable@ */
pid$target:a.out:data_behind:entry { printf("%s %d\n", probefunc, arg0); }
pid$target:a.out:data_*:return { printf("%d\n", arg1); }
