/* none is free: 0, counted and reported */
BEGIN { printf("%d\n", speculation()); printf("%d\n", speculation()); exit(0); }
