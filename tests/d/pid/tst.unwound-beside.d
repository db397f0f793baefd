/* a description without a name does not match it, though another one has made it */
/* run: -o @tmp@/out -c @jump@ */
pid$target:a.out:leap:unwound { @["named"] = count(); }
pid$target:a.out:leap:unwound { @["twice"] = count(); }
pid$target:a.out:leap: /probename == "unwound"/ { @["empty"] = count(); }
pid$target:a.out:leap:*n* /probename == "unwound"/ { @["glob"] = count(); }
pid$target:a.out:le*:unwound { @["glob of functions"] = count(); }
