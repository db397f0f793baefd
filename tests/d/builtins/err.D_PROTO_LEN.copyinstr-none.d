BEGIN { copyinstr(); exit(0); }
