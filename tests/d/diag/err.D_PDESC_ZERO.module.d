diag:f::fpid { trace(1); }
