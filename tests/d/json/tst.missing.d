/* no such key or index, or nothing to go into */
BEGIN
{
	this->j = "{\"a\": {\"b\": [1, 2, {\"c\": \"deep\"}, 4]}, \"s\": \"te\\\"xt\", \"n\": null, \"t\": true, \"f\": false, \"num\": -1.5e+3, \"o\": { \"x\" : [ 1 ,2 ] }, \"e\": \"\", \"2\": \"two\"}";
	printf("%d\n", json(this->j, "zz") == NULL);
	printf("%d\n", json(this->j, "a.zz") == NULL);
	printf("%d\n", json(this->j, "a.b[4]") == NULL);
	printf("%d\n", json(this->j, "a.b[-1]") == NULL);
	printf("%d\n", json(this->j, "a.b[x]") == NULL);
	printf("%d\n", json(this->j, "s.x") == NULL);
	printf("%d\n", json(this->j, "num[0]") == NULL);
	printf("%d\n", json(this->j, "n.a") == NULL);
	printf("%d\n", json(this->j, "") == NULL);
	exit(0);
}
