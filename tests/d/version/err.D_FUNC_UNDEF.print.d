/* run: -x version=1.8.1 */
BEGIN { print(1); exit(0); }
