BEGIN { @[ustack(1)] = count(); @[ustack(2)] = count(); }
