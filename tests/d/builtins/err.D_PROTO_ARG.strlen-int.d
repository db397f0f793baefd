BEGIN { strlen(5); exit(0); }
