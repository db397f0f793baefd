/* run: -x aggsize=1 -c @dies@ */
pid$target:a.out:doomed:entry { @[arg0] = count(); }
