/* SPDX-License-Identifier: MIT */
/* run: -w */
/* What is quoted is one argument, whatever it contains. */
BEGIN
{
	system("for i in %q %q %q %q; do echo \"[$i]\"; done", "a b", "$(echo x) `echo y` $HOME", "it's; echo z", "");
	system("for i in %s; do echo \"[$i]\"; done", "a b");
	exit(0);
}
