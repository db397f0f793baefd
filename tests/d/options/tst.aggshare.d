/* shares of what is printed, and their sum */
/* run: -x aggshare */
BEGIN
{
	@a["one"] = sum(1);
	@a["three"] = sum(3);
	@a["none"] = sum(0);
	@b = count();
	@c["a"] = sum(-5);
	@c["b"] = sum(2);
	@d["x"] = max(7);
	@e["h"] = quantize(1);
	@f["kept"] = sum(300);
	@f["dropped"] = sum(100);
	trunc(@f, 1);
	@g["k"] = count();
	@h["k"] = sum(8);
	@h["l"] = sum(2);
	@g["l"] = count();
	printa(@g, @h);
	printa("%s %@d\n", @a);
	exit(0);
}
