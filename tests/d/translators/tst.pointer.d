/* from a pointer into the target */
/* run: -c @once@ */
struct pair { char first; char second; };
struct out { string text; char second; uintptr_t where; };
translator struct out < userland struct pair *P > {
	text = copyinstr((uintptr_t)P);
	second = P->second;
	where = (uintptr_t)P;
};
pid$target:a.out:f:entry
{
	this->p = (userland struct pair *)*(uint64_t *)copyin(curpsinfo->pr_argv, 8);
	printf("%s\n", xlate <struct out> (this->p).text);
	printf("%d\n", xlate <struct out *> (this->p)->where == (uintptr_t)this->p);
	printf("%d\n", xlate <struct out *> (this->p)->second == this->p->second);
}
