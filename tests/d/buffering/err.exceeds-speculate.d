/* run: -x bufsize=40 */
BEGIN { speculate(1); }
