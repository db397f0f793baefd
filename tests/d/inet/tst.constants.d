/* SPDX-License-Identifier: MIT */
/* The library's names of families, and of the parts of an IPv6 address. */
in6_addr_t *p;
ipaddr_t *q;
BEGIN
{
	q = (ipaddr_t *)alloca(sizeof (ipaddr_t));
	*q = htonl(0x7f000001);
	p = (in6_addr_t *)alloca(sizeof (in6_addr_t));
	p->_S6_un._S6_u8[0] = 0xfe;
	p->__in6_u.__u6_addr8[1] = 0x80;
	p->in6_u.u6_addr16[2] = htons(0x12);
	p->__u6_addr.__u6_addr32[2] = htonl(0x34);
	p->s6_addr[15] = 1;
	printf("%s %s\n", inet_ntop(AF_INET, q), inet_ntoa(q));
	printf("%s %s\n", inet_ntop(AF_INET6, p), inet_ntoa6(p));
	printf("%d\n", sizeof (struct in6_addr));
	exit(0);
}
