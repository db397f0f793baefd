BEGIN { @a = strlen("x"); exit(0); }
