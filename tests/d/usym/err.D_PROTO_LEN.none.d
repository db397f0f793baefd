BEGIN { usym(); }
