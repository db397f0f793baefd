/* control lines of the preprocessor need -C */
#ifdef A
BEGIN { exit(0); }
