/* SPDX-License-Identifier: MIT */
/*
 * The result of a call that can fail: 0, or one of these negative values.
 */
#ifndef VM_BASE_STATUS_H
#define VM_BASE_STATUS_H

enum status_index {
	STATUS_INDEX_OK,
#define STATUS(name, text) STATUS_INDEX_##name,
#include "vm/base/status.def"
#undef STATUS
};

enum status {
	STATUS_OK = 0,
#define STATUS(name, text) STATUS_##name = -STATUS_INDEX_##name,
#include "vm/base/status.def"
#undef STATUS
};

#endif
