/* SPDX-License-Identifier: MIT */
/* The probes of the shop: dtrace -h makes shop.h of it, and scripts have their types of it. */

struct item {
	int number, cents;
};

typedef struct sale {
	int number;
	int cents;
} sale_t;

translator sale_t < userland struct item *i > {
	number = i->number;
	cents = i->cents;
};

provider shop {
	probe open(string owner);
	/* level and keywords: see README.md */
	probe order__placed(uint8_t level, uint32_t keywords, int order, string guest);
	probe order__failed(uint8_t level, uint32_t keywords, int order, string why);
	probe item__sold(userland struct item *i, int order, double weight) :
		(sale_t *i, int order, double weight);
};

inline int LEVEL_ERROR = 2;
inline int LEVEL_INFORMATION = 4;
inline int LEVEL_VERBOSE = 5;
inline int KEYWORD_KITCHEN = 1;
inline int KEYWORD_TILL = 2;
