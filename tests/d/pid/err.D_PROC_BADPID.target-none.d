/* $target is 0 without a process */
pid$target:::entry { exit(0); }
