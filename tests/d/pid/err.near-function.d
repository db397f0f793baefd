/* the nearest names are told */
/* run: -c @plain@ */
pid$target:a.out:alpah:entry { exit(0); }
