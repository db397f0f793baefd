BEGIN { for (;;) x++; }
