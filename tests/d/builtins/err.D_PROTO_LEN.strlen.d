BEGIN { strlen(); exit(0); }
