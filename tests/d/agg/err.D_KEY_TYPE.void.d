BEGIN { @a[(void)0] = count(); exit(0); }
