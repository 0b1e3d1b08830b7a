#pragma once
/// torch::nn for DTensors: modules, functional, init, utils and distribute_module.
#include <vescale/nn/any_module.h>
#include <vescale/nn/distribute.h>
#include <vescale/nn/functional.h>
#include <vescale/nn/init.h>
#include <vescale/nn/module.h>
#include <vescale/nn/modules/activation.h>
#include <vescale/nn/modules/dropout.h>
#include <vescale/nn/modules/layers.h>
#include <vescale/nn/modules/loss.h>
#include <vescale/nn/modules/module_containers.h>
#include <vescale/nn/modules/parameter_containers.h>
#include <vescale/nn/modules/pooling.h>
#include <vescale/nn/modules/sequential.h>
#include <vescale/nn/options.h>
#include <vescale/nn/utils.h>
