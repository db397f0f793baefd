/* a function whose symbol has no size ends where the next one begins; globs select it */
/* run: -c @names@ */
pid$target:a.out:sizeles*:entry { @[probefunc, probename, 0] = count(); }
pid$target:a.out:sizeless:return { @[probefunc, probename, arg0] = count(); }
pid$target:a.out:sizeless:5 { @[probefunc, probename, 0] = count(); }
