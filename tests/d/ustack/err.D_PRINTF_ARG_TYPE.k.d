BEGIN { @[pid] = count(); printa("%k", @); }
