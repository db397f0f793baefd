/* SPDX-License-Identifier: MIT */
/* refused though it lies before what cannot be decoded: jumps there are not known */
/* run: -c @undecodable@ */
pid$target:a.out:data_behind:2 { }
