/* of every kind, as they are written */
BEGIN
{
	this->j = "{\"a\": {\"b\": [1, 2, {\"c\": \"deep\"}, 4]}, \"s\": \"te\\\"xt\", \"n\": null, \"t\": true, \"f\": false, \"num\": -1.5e+3, \"o\": { \"x\" : [ 1 ,2 ] }, \"e\": \"\", \"2\": \"two\"}";
	printf("[%s]\n", json(this->j, "a.b[0]"));
	printf("[%s]\n", json(this->j, "a.b[2].c"));
	printf("[%s]\n", json(this->j, "a.b[3]"));
	printf("[%s]\n", json(this->j, "s"));
	printf("[%s]\n", json(this->j, "n"));
	printf("[%s]\n", json(this->j, "t"));
	printf("[%s]\n", json(this->j, "f"));
	printf("[%s]\n", json(this->j, "num"));
	printf("[%s]\n", json(this->j, "o"));
	printf("[%s]\n", json(this->j, "o.x"));
	printf("[%s]\n", json(this->j, "e"));
	printf("[%s]\n", json(this->j, "2"));
	printf("[%s]\n", json(this->j, "a.b"));
	exit(0);
}
