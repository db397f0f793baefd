/* the errors of the preprocessor name the script */
/* run: -C */
#error wrong
BEGIN { exit(0); }
