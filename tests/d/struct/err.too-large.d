char text[100000];
BEGIN { text[0] = 1; exit(0); }
