/* twenty in one program */
BEGIN
{
	@a0 = sum(0);
	@a1 = sum(1);
	@a2 = sum(4);
	@a3 = sum(9);
	@a4 = sum(16);
	@a5 = sum(25);
	@a6 = sum(36);
	@a7 = sum(49);
	@a8 = sum(64);
	@a9 = sum(81);
	@a10 = sum(100);
	@a11 = sum(121);
	@a12 = sum(144);
	@a13 = sum(169);
	@a14 = sum(196);
	@a15 = sum(225);
	@a16 = sum(256);
	@a17 = sum(289);
	@a18 = sum(324);
	@a19 = sum(361);
	exit(0);
}
