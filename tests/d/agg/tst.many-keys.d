/* as many elements as different arguments; the largest of them */
/* run: -o @tmp@/out -c @plain@ */
pid$target:a.out:alpha:entry { @[arg0] = count(); @all = count(); }
END { printa("%@d calls\n", @all); trunc(@, 5); }
