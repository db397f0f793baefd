BEGIN { SIGINT = 3; exit(0); }
