// SPDX-License-Identifier: MIT
#pragma once

#include <gloo/declarations.h>
