#pragma once
/// All that a rewritten program needs.
#include <torch/torch.h>

#include <vescale/autograd.h>
#include <vescale/call_local.h>
#include <vescale/dtensor.h>
#include <vescale/mesh.h>
#include <vescale/nn.h>
#include <vescale/ops.h>
#include <vescale/optim.h>
#include <vescale/random/generator.h>
#include <vescale/redistribute.h>
#include <vescale/run.h>
#include <vescale/serialize.h>
#include <vescale/tensor.h>
