/* SPDX-License-Identifier: MIT */
BEGIN
{
	j = "{\"a\":[10,20,{\"b\":\"z\"}]}";
	printf("%s %s\n", json(j, "a[2].b"), json(j, "a[1]"));
	printf("%s\n", json(j, "a[5]") == NULL ? "none" : "some");
	exit(0);
}
