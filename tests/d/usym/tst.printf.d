/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	printf("[%A] [%a] [%30A] [%-30A] [%.5A]\n", ucaller, ucaller, uregs[17], uregs[17], uregs[17]);
}
