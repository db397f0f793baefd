BEGIN { copyin(1); exit(0); }
