/* run: -x version=1.1 */
BEGIN { trace(ucaller); exit(0); }
