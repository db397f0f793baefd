/* args[1] of probes that do not agree */
diag:::* { trace(args[1]); }
