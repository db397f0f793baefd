/* SPDX-License-Identifier: MIT */
BEGIN { @ = count(); clear(@, 1); }
