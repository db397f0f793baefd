/* run: -c @once@ */
pid$target::nosuch_anywhere:entry { exit(0); }
