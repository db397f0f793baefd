/* what every script may rely on */
/* run: -C */
BEGIN {
	printf("%x %d\n", __SUNW_D_VERSION, __SUNW_D);
#if defined(__SUNW_D_64) && defined(__SVR4) && defined(__amd64) && defined(__unix)
	printf("D\n");
#endif
#if defined(__linux) && defined(__Linux) && !defined(__GNUC__) && __STDC__ == 1
	printf("system\n");
#endif
#if !defined(linux) && !defined(unix)
	printf("words stay free\n");
#endif
	exit(0);
}
