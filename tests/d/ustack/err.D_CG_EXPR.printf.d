BEGIN { printf("%k", ustack()); }
