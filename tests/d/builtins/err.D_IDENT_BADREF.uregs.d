BEGIN { x = uregs; exit(0); }
