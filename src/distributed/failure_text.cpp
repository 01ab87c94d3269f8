// SPDX-License-Identifier: MIT
#include "longformer/distributed/failure_text.h"

#include <c10/util/Exception.h>

namespace longformer {

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string failure_text(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const c10::Error& error) {
    return first_line(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return first_line(error.what());
  } catch (...) {
    return "unknown failure";
  }
}

}  // namespace longformer
