/* there is no // comment */
BEGIN { exit(0); } // done
