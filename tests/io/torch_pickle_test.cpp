// SPDX-License-Identifier: MIT
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/torch_file_fixture.h"
#include "io/weight_builder.h"

namespace longformer {
namespace {

using test::counting_floats;
using test::PickleBuilder;
using test::torch_legacy;
using test::torch_zip;
using ::testing::HasSubstr;

class TorchPickleTest : public test::TorchFileFixture {};

TEST_F(TorchPickleTest, TakesPlainValuesBesideTheWeights) {
  PickleBuilder pickle;
  pickle.op("}(").text("epoch").integer(3).text("loss").op(
      std::string("G\x3F\xF0\0\0\0\0\0\0", 9));
  pickle.text("list").op("](N\x88\x89").text("x").op("e");
  pickle.text("set").op("\x8f(K\x01\x90");
  pickle.text("size").global("torch", "Size").integers({1, 2}).op("\x85R");
  pickle.text("bytes").op(std::string("C\x02hi", 4));
  pickle.text("state_dict").ordered_dict().op("(").text("w");
  pickle.tensor({.storage_size = 4, .shape = {4}, .strides = {1}});
  pickle.op("uu");
  EXPECT_EQ(values(torch_zip(pickle.stop(), counting_floats(4))).size(), 4U);
}

TEST_F(TorchPickleTest, TakesDictionariesAsPython2WroteThem) {
  // OrderedDict([["w", tensor]]) with byte strings.
  PickleBuilder pickle;
  pickle.global("collections", "OrderedDict").op("](](");
  pickle.op(std::string("U\x01w", 3));
  pickle.tensor({.storage_size = 4, .shape = {4}, .strides = {1}});
  pickle.op("ee\x85R");
  EXPECT_EQ(values(torch_zip(pickle.stop(), counting_floats(4))).at(2), 2.0F);
}

TEST_F(TorchPickleTest, RefusesEveryOtherGlobalByNameWithoutCalling) {
  const std::vector<std::pair<std::string, std::string>> globals = {
      {"posix", "system"},
      {"os", "system"},
      {"builtins", "eval"},
      {"__builtin__", "eval"},
      {"__builtin__", "getattr"},
      {"commands", "getoutput"},
      {"subprocess", "Popen"},
      {"torch", "load"},
      {"torch.storage", "_load_from_bytes"},
      {"collections", "Counter"},
      {"torch", "FloatStorage.__init__"}};
  for (const auto& [module, name] : globals) {
    PickleBuilder direct;
    direct.op("}(").text("w").global(module, name);
    direct.op("(").text("touch /tmp/x").op("tRu");
    EXPECT_THAT(refusal(torch_zip(direct.stop(), "")),
                HasSubstr(module + "." + name));
    PickleBuilder by_stack(4);
    by_stack.op("}(").text("w").text(module).text(name).op("\x93)Ru");
    EXPECT_THAT(refusal(torch_zip(by_stack.stop(), "")),
                HasSubstr(module + "." + name));
    EXPECT_THAT(refusal(torch_legacy(direct.stop(), 0, "")),
                HasSubstr(module + "." + name));
  }
}

TEST_F(TorchPickleTest, RefusesWrongPickles) {
  const std::string proto = "\x80\x02";
  const std::vector<std::pair<std::string, std::string>> programs = {
      {"TUPLE2 of nothing", proto + "\x86."},
      {"STOP of nothing", proto + "."},
      {"no STOP", proto + "}"},
      {"nothing", ""},
      {"unknown opcode", proto + "\xff."},
      {"INST", proto + "(ios\nsystem\n."},
      {"OBJ", proto + "(cos\nsystem\no."},
      {"EXT1", proto + "\x82\x01."},
      {"PERSID", proto + "Pfoo\n."},
      {"memo that was not stored", proto + "h\x07."},
      {"memo index out of range", proto + "}r\xff\xff\xff\xff."},
      {"mark that was not set", proto + "t."},
      {"value below a mark", proto + "}(\x85."},
      {"SETITEM on a list", proto + "]K\x01K\x02s."},
      {"SETITEMS on a tuple", proto + ")(K\x01K\x02u."},
      {"SETITEM on an integer", proto + "K\x01K\x01K\x02s."},
      {"odd SETITEMS", proto + "}(K\x01u."},
      {"APPEND to a dictionary", proto + "}K\x01"
                                         "a."},
      {"ADDITEMS to a list", proto + "](K\x01\x90."},
      {"REDUCE of an integer", proto + "K\x01)R."},
      {"REDUCE without tuple", proto + "ccollections\nOrderedDict\n]R."},
      {"call of a storage type", proto + "ctorch\nFloatStorage\n)R."},
      {"OrderedDict of an integer",
       proto + "ccollections\nOrderedDict\nK\x01\x85R."},
      {"tensor without arguments",
       proto + "ctorch._utils\n_rebuild_tensor_v2\n)R."},
      {"parameter of nothing",
       proto + "ctorch._utils\n_rebuild_parameter\n)R."},
      {"Size of an integer", proto + "ctorch\nSize\nK\x01\x85R."},
      {"persistent id that is an integer", proto + "K\x01Q."},
      {"persistent id of two parts", proto + "K\x01K\x02\x86Q."},
      {"BUILD on a list", proto + "]}b."},
      {"BUILD with a list", proto + "ccollections\nOrderedDict\n)R]b."},
      {"text longer than the file", proto + "X\xff\xff\xff\x7f"
                                            "a."},
      {"text of 2^64-1 bytes", proto + "\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
                                       "a."},
      {"frame longer than the file",
       proto + "\x95\xff\xff\xff\xff\xff\xff\xff\xff}."},
      {"protocol 0", std::string("\x80\0}.", 4)},
      {"protocol 6", "\x80\x06}."},
      {"name without end", proto + "c" + std::string(5000, 'a')},
      {"dictionary without tensors", proto + "}."},
      {"list", proto + "]."},
      {"tensor under a number",
       PickleBuilder()
           .op("}K\x01")
           .tensor({.storage_size = 4, .shape = {4}, .strides = {1}})
           .op("s")
           .stop()},
  };
  for (const auto& [what, program] : programs) {
    EXPECT_NE(refusal(torch_zip(program, counting_floats(4))), "accepted")
        << what;
  }
}

TEST_F(TorchPickleTest, PicklesCannotUseUpStackMemoryOrTime) {
  const std::clock_t start = std::clock();
  const std::string proto = "\x80\x02";
  const std::size_t many = 1'500'000;
  std::string tuples = proto + ")";
  std::string lists = proto + "]";
  std::string gets = proto + "}q";
  gets += '\0';
  for (std::size_t i = 0; i < many; ++i) {
    tuples += "\x85";
    lists += "]a";
    gets += std::string("h\0", 2);
  }
  for (const std::string& program :
       {tuples + ".", lists + ".", gets + ".", proto + std::string(many, '('),
        proto + std::string(many, ']'), proto + std::string(many, '}'),
        proto + std::string(60000, '(') + std::string(60000, 't') + "."}) {
    EXPECT_NE(refusal(torch_zip(program, "")), "accepted");
  }
  // Processor time: other tests may be running.
  EXPECT_LT(std::clock() - start, 30 * CLOCKS_PER_SEC);
}

TEST_F(TorchPickleTest, RefusesWrongTensorArguments) {
  const auto file = [&](const std::string& arguments) {
    PickleBuilder pickle;
    pickle.op("}(").text("w").global("torch._utils", "_rebuild_tensor_v2");
    return torch_zip(pickle.op(arguments).op("Ru").stop(), counting_floats(4));
  };
  const std::string storage =
      PickleBuilder().storage("FloatStorage", "0", 4).stop();
  const std::string id = storage.substr(2, storage.size() - 3);
  const std::string sizes = "K\x04\x85";
  const std::string strides = "K\x01\x85";
  EXPECT_EQ(refusal(file("(" + id + std::string("K\0", 2) + sizes + strides +
                         "\x89}t")),
            "accepted");
  for (const std::string& arguments :
       {"(" + id + "N" + sizes + strides + "\x89}t",
        "(" + id + id + sizes + strides + "\x89}t",
        "(K\x01K\x01" + sizes + strides + "\x89}t",
        "(" + id + std::string("K\0", 2) + "K\x04" + strides + "\x89}t",
        "(" + id + std::string("K\0", 2) + sizes + "N\x89}t",
        "(" + id + std::string("K\0", 2) + "}\x85" + strides + "\x89}t",
        "(" + id + std::string("K\0", 2) + sizes + strides + "t"}) {
    EXPECT_NE(refusal(file(arguments)), "accepted");
  }
}

}  // namespace
}  // namespace longformer
