#pragma once
#include "../../../../include/vescale/annotate.h"
