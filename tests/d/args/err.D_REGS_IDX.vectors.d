BEGIN { trace(uvectors[8]); }
