BEGIN { @[ustack(1)] = count(); @[usym(1)] = count(); }
