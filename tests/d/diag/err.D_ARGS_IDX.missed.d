diag:::missed-ustack { trace(args[2]); }
