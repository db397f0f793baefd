/* an open literal is one error: that the program ends in it is not another */
BEGIN { trace("abc); exit(0); }
