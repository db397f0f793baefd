/* run: -x version=1.12 */
BEGIN { if (1) trace(1); exit(0); }
