BEGIN { @a = count(); trunc(@a, "x"); exit(0); }
