BEGIN { trace(ustack() == ustack()); }
