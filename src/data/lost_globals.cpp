// SPDX-License-Identifier: MIT
#include "longformer/data/lost_globals.h"

#include <string>

#include "longformer/base/log.h"

#include "label_text.h"

namespace longformer {

void LostGlobals::add(const EncodedDocument& document) {
  positions += document.lost_globals;
  documents += document.lost_globals > 0 ? 1 : 0;
}

void LostGlobals::warn() const {
  if (positions == 0) return;
  log_warning("global_attention: " +
              counted(static_cast<std::size_t>(positions), "position") +
              " in " +
              counted(static_cast<std::size_t>(documents), "document") +
              " behind the cut without effect; a document that has "
              "none left attends globally with its first token; raise "
              "max_length");
}

}  // namespace longformer
