/* run: -x bufsize=15 */
BEGIN { speculate(1); }
