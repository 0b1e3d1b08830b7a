#pragma once
/// Which conversions are written: a fixpoint of what inference needs and what can be written, then improved.
#include "Inference/Infer.h"

namespace vescale::comm {

/// A program whose conversions are chosen.
struct Settled {
  inference::Forced forced;    ///< what is written
  inference::Refused refused;  ///< where nothing right for every caller can be written
  inference::Trace trace;      ///< of the program with what is written
};

/// Deterministic: the same program and setting give the same choice.
Settled settle(const facts::Program& program, const inference::Setting& setting);

}  // namespace vescale::comm
