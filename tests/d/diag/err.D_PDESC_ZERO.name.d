diag:::nosuch { trace(1); }
