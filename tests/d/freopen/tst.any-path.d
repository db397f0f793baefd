/* SPDX-License-Identifier: MIT */
/* run: -w -x freopen=any -c @stacks@ */
pid$target:a.out:mark:entry /arg0 == 1/ { freopen("%s", substr("./out", 0, 5 + (arg0 == 0))); printf("named\n"); freopen(""); }
