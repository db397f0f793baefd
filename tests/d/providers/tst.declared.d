/* a declaration alone enables nothing; attributes may come before or after it */
#pragma D attributes Private/Private/Common provider myapp args
provider myapp {
	probe go(int, char *);
	probe log__msg(string text, int n) : (int n, string text, int n);
	probe none();
	probe nothing(void);
};
#pragma D attributes Stable/Stable/Common provider myapp provider
provider empty { };
BEGIN { printf("ok\n"); exit(0); }
