/* keys stay, values start again */
BEGIN { @c["a"] = count(); @s["a"] = sum(5); @v["a"] = avg(5); @q["a"] = quantize(5); exit(0); }
END { clear(@c); clear(@s); clear(@v); clear(@q); }
