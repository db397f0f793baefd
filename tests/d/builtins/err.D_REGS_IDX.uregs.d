BEGIN { trace(uregs[100]); exit(0); }
