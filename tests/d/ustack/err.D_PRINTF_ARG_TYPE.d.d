BEGIN { @[ustack()] = count(); printa("%d", @); }
