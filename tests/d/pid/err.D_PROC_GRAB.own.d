/* dtrace cannot trace itself */
pid$pid:::entry { exit(0); }
