/* a variable may be called like a provider or a function of C */
BEGIN
{
	entry = 1; main = 2; pid_ = 3;
	printf("%d\n", entry + main + pid_);
	exit(0);
}
