/* run: 18446744073709551615 */
/* fits 64 bits only as unsigned: one error */
BEGIN { trace($1); exit(0); }
