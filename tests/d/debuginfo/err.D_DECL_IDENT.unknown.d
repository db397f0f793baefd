/* run: -c @typed@ */
pid$target:a.out:narrow:entry { trace((pid`nonesuch_t *)arg0); }
