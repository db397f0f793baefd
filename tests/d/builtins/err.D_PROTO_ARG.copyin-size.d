BEGIN { copyin(1, "a"); exit(0); }
