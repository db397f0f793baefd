/* run: -x bufsize=63 */
BEGIN { trace(1); exit(0); }
