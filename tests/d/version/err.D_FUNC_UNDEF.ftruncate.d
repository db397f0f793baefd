/* run: -x version=1.0 */
BEGIN { freopen("x"); exit(0); }
