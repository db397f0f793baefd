/* SPDX-License-Identifier: MIT */
/* run: -w -o stdout -c @stacks@ */
/* A name from the process is one of a file in the directory of the format. */
pid$target:a.out:mark:entry /arg0 == 1/ { freopen("./%s", substr("out/", 0, 3 + (arg0 == 0))); printf("named\n"); }
