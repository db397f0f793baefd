BEGIN { @[usym(1)] = count(); printa("%p", @); }
