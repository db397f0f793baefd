BEGIN { trace(libc`environ); exit(0); }
