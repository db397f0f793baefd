BEGIN { w = 6; printf("<%*d><%-*d>\n", w, 5, w, 5); exit(0); }
