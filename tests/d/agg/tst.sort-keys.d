/* ties ascend by key; numbers as unsigned, strings by bytes */
BEGIN
{
	@n[2] = count(); @n[-1] = count(); @n[1] = count(); @n[-2] = count();
	@s["b"] = count(); @s["ab"] = count(); @s["B"] = count(); @s["a"] = count(); @s[""] = count();
	@t[2, "a"] = count(); @t[1, "b"] = count(); @t[1, "a"] = count();
	exit(0);
}
