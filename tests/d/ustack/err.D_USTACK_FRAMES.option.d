#pragma D option ustackframes=2000
BEGIN { @[ustack()] = count(); }
