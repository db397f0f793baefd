/* over several firings */
BEGIN { s = speculation(); i = 0; }
tick-2ms { speculate(s); printf("%d\n", ++i); }
tick-2ms /i == 3/ { commit(s); }
tick-2ms /i == 3/ { exit(0); }
