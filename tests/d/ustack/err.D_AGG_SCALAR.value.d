BEGIN { @ = sum(ustack()); }
