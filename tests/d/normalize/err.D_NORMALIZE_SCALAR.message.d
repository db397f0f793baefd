/* SPDX-License-Identifier: MIT */
BEGIN { @ = count(); normalize(@, probename); }
