BEGIN { uaddr(1, 2); }
