// A part of the data that is not trained on, where no other file is given to validate by.
#pragma once

#include "models/text/token_stream.h"

namespace phasor::text {

struct HeldOut {
  TokenStream train, dev;
};

// The end of the stream is held out, `fraction` of its tokens, between 0 and 1: from the border of two documents that
// is nearest to there, unless that makes the part by more than half larger or smaller, as where there is one document
// alone. Then a document is cut. Either part has two tokens at least, else that is a UserError. A function of documents
// and fraction alone: files in an order of their subjects should be mixed before.
HeldOut hold_out(const TokenStream& stream, double fraction);

}  // namespace phasor::text
