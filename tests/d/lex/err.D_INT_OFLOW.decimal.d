/* fits 64 bits, but no signed type */
BEGIN { trace(9223372036854775808); exit(0); }
