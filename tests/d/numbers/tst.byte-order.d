/* of 2, 4 and 8 bytes; what is wider is cut first */
BEGIN
{
	printf("%x\n", htons(0x1234));
	printf("%x\n", ntohs(0x1234));
	printf("%x\n", htonl(0x12345678));
	printf("%x\n", ntohl(0x12345678));
	printf("%x\n", htonll(0x0123456789abcdef));
	printf("%x\n", ntohll(0x0123456789abcdef));
	printf("%x\n", htons(0x99991234));
	printf("%x\n", htonl(-1));
	printf("%x\n", ntohs(htons(80)));
	printf("%d\n", sizeof (htons(1)));
	printf("%d\n", sizeof (htonl(1)));
	printf("%d\n", sizeof (htonll(1)));
	exit(0);
}
