/* the preprocessor does not complain about a lone apostrophe: D text is no C */
/* run: -C */
BEGIN { x = 'a; }
