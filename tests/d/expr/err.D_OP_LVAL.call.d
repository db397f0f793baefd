BEGIN { strlen("a") = 2; exit(0); }
