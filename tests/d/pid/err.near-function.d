/* the nearest names are reported */
/* run: -c @plain@ */
pid$target:a.out:alpah:entry { exit(0); }
