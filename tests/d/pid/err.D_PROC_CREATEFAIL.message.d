/* SPDX-License-Identifier: MIT */
/* run: -c @undecodable@ */
pid$target:a.out:all_data:return { }
