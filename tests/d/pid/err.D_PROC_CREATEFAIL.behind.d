/* SPDX-License-Identifier: MIT */
/* a return may hide in what cannot be decoded */
/* run: -c @undecodable@ */
pid$target:a.out:data_behind:return { }
