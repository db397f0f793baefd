BEGIN { umod("libc"); }
