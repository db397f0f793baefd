/* SPDX-License-Identifier: MIT */
/* as a library would have it: names for numbers, a translator for the rest */
/* run: -c @shop@ */
inline int NOT_FOUND = -1;
inline int TOO_FEW = -2;
inline string result[long r] =
    r == NOT_FOUND ? "not found" : r == TOO_FEW ? "too few" : "sold";

pid$target:a.out:buy:return
{
	@[result[(long)arg1]] = count();
}
