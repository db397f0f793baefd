/* one that is never reached as well */
BEGIN { if (0 == 1) { raise(9); } exit(0); }
