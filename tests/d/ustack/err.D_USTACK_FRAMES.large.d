BEGIN { ustack(1025); }
