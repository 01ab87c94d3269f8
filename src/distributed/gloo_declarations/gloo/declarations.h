// SPDX-License-Identifier: MIT
//
// Stand-ins for the Gloo headers that c10d's ProcessGroupGloo.hpp includes:
// LibTorch's packages contain Gloo's code, but not its headers. Declarations of
// the same names suffice as long as nobody here makes a GlooStore, SendWork or
// RecvWork; what is declared follows the headers of LibTorch 2.7 to 2.11.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

namespace transport {
class Device;
class UnboundBuffer;
}  // namespace transport

namespace rendezvous {

#define GLOO_STORE_HAS_STORE_V2 1
class Store {
 public:
  virtual ~Store() = default;
  virtual void set(const std::string&, const std::vector<char>&) = 0;
  virtual std::vector<char> get(const std::string&) = 0;
  virtual void wait(const std::vector<std::string>&) = 0;
  virtual void wait(const std::vector<std::string>&,
                    const std::chrono::milliseconds&) = 0;
  virtual bool has_v2_support() = 0;
  virtual std::vector<std::vector<char>> multi_get(
      const std::vector<std::string>&) = 0;
  virtual void multi_set(const std::vector<std::string>&,
                         const std::vector<std::vector<char>>&) = 0;
  virtual void append(const std::string&, const std::vector<char>&) = 0;
  virtual int64_t add(const std::string&, int64_t) = 0;
};

}  // namespace rendezvous
}  // namespace gloo
