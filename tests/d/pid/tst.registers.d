/* uregs and ucaller at entry */
/* run: -c @once@ */
pid$target:a.out:f:entry
{
	printf("%d %d\n", (int)uregs[8], (int)uregs[8] == (int)arg0);
	printf("%d %d\n", *(uint64_t *)copyin(uregs[20], 8) == ucaller, ucaller != uregs[17]);
	self->sp = uregs[20];
	self->caller = ucaller;
}
pid$target:a.out:f:return { printf("%d\n", (int)uregs[14] == (int)arg1); }
