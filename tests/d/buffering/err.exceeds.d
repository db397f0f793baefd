/* run: -x bufsize=15 */
BEGIN { trace(1); exit(0); }
