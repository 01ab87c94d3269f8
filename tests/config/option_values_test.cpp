// SPDX-License-Identifier: MIT
// One value: from JSON, from text, and what is said about a wrong one.
#include "longformer/config/option_values.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/config/field.h"
#include "longformer/config/option_fields.h"

namespace longformer {

enum class Fruit { kApple, kPear };

template <>
struct EnumNames<Fruit> {
  static constexpr std::array<std::string_view, 2> kNames{"apple", "pear"};
};

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Basket {
  bool ripe = false;
  std::int64_t count = 1;
  double weight = 0.5;
  std::string name = "none";
  Fruit fruit = Fruit::kApple;
  std::vector<std::string> notes;
  std::vector<double> prices;
  std::optional<double> discount;
  std::optional<std::int64_t> shelf;
  std::optional<bool> washed;
  ClassWeights shares;
  std::int64_t any = 0;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&Basket::ripe, field("ripe", "Ripe."));
    visit(&Basket::count, field("count", "Count.").range(0, 100));
    visit(&Basket::weight, field("weight", "Weight.").range_below(0, 1));
    visit(&Basket::name, field("name", "Name."));
    visit(&Basket::fruit, field("fruit", "Fruit."));
    visit(&Basket::notes, field("notes", "Notes."));
    visit(&Basket::prices, field("prices", "Prices.").at_least(0));
    visit(&Basket::discount, field("discount", "Discount.").range(0, 1));
    visit(&Basket::shelf, field("shelf", "Shelf."));
    visit(&Basket::washed, field("washed", "Washed."));
    visit(&Basket::shares, field("shares", "Shares.").range(0, 9));
    visit(&Basket::any, field("any", "Any."));
  }
};

struct Shop {
  Basket basket;
  template <class Visit>
  static void describe(Visit&& group) {
    group(&Shop::basket, "Basket");
  }
};

class OptionValuesTest : public testing::Test {
 protected:
  /// "" or what is wrong.
  std::string json(const char* name, const char* text) {
    return set_value(*find_field(fields_, name), Json::parse(text))
        .value_or("");
  }
  std::string typed(const char* name, const std::string& text) {
    return set_value_from_text(*find_field(fields_, name), {text},
                               TextRules::kCommandLine)
        .value_or("");
  }
  std::string sent(const char* name, const std::string& text) {
    return set_value_from_text(*find_field(fields_, name), {text},
                               TextRules::kPlatform)
        .value_or("");
  }

  Shop shop_;
  Basket& basket_ = shop_.basket;
  std::vector<OptionField> fields_ = bind_fields(shop_);
};

TEST_F(OptionValuesTest, JsonOfTheRightTypeIsTaken) {
  EXPECT_EQ(json("ripe", "true"), "");
  EXPECT_EQ(json("count", "100"), "");
  EXPECT_EQ(json("weight", "0"), "");
  EXPECT_EQ(json("name", "\"\""), "");
  EXPECT_EQ(json("fruit", "\"pear\""), "");
  EXPECT_EQ(json("notes", "[\"a\", \"b\"]"), "");
  EXPECT_EQ(json("prices", "[1, 2.5]"), "");
  EXPECT_TRUE(basket_.ripe);
  EXPECT_EQ(basket_.count, 100);
  EXPECT_EQ(basket_.weight, 0);
  EXPECT_EQ(basket_.name, "");
  EXPECT_EQ(basket_.fruit, Fruit::kPear);
  EXPECT_THAT(basket_.notes, ElementsAre("a", "b"));
  EXPECT_THAT(basket_.prices, ElementsAre(1, 2.5));
}

TEST_F(OptionValuesTest, JsonOfAnotherTypeIsRefusedAndChangesNothing) {
  const Json before = value_to_json(fields_[1]);
  for (const char* text : {"\"3\"", "1e3", "3.0", "true", "null", "[1]", "{}",
                           "101", "-1", "18446744073709551615", "1e30"}) {
    EXPECT_THAT(json("count", text),
                HasSubstr("expected a whole number from 0 to 100, got"))
        << text;
  }
  EXPECT_EQ(value_to_json(fields_[1]), before);
  for (const char* text : {"\"0.1\"", "true", "1", "-0.1", "null"}) {
    EXPECT_THAT(json("weight", text),
                HasSubstr("expected a number from 0 to below 1, got"))
        << text;
  }
  for (const char* text : {"1", "0", "\"true\"", "null"}) {
    EXPECT_THAT(json("ripe", text), HasSubstr("expected true or false, got"))
        << text;
  }
  for (const char* text : {"3", "true", "null", "[\"a\"]"}) {
    EXPECT_THAT(json("name", text), HasSubstr("expected a text, got")) << text;
  }
  EXPECT_THAT(json("fruit", "\"plum\""),
              HasSubstr("expected apple or pear, got \"plum\""));
  EXPECT_THAT(json("notes", "[\"a\", 3]"), HasSubstr("got 3 as item 2"));
  EXPECT_THAT(json("prices", "[1, -1]"), HasSubstr("got -1 as item 2"));
  EXPECT_THAT(basket_.notes, IsEmpty());
}

TEST_F(OptionValuesTest, WholeNumbersReachBothEndsOf64Bits) {
  EXPECT_EQ(json("any", "-9223372036854775808"), "");
  EXPECT_EQ(basket_.any, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(typed("any", "9223372036854775807"), "");
  EXPECT_EQ(basket_.any, std::numeric_limits<std::int64_t>::max());
  EXPECT_NE(typed("any", "9223372036854775808"), "");
  EXPECT_NE(json("any", "9223372036854775808"), "");
}

TEST_F(OptionValuesTest, NullUnsetsWhatMayBeUnset) {
  EXPECT_EQ(json("discount", "0.5"), "");
  EXPECT_EQ(json("shelf", "3"), "");
  EXPECT_EQ(json("washed", "true"), "");
  EXPECT_EQ(basket_.discount, 0.5);
  EXPECT_EQ(basket_.shelf, 3);
  EXPECT_EQ(basket_.washed, true);
  EXPECT_EQ(json("discount", "null"), "");
  EXPECT_EQ(typed("shelf", "none"), "");
  EXPECT_EQ(sent("washed", "None"), "");
  EXPECT_EQ(basket_.discount, std::nullopt);
  EXPECT_EQ(basket_.shelf, std::nullopt);
  EXPECT_EQ(basket_.washed, std::nullopt);
}

TEST_F(OptionValuesTest, OneTextStandsForAListOfOne) {
  EXPECT_EQ(json("notes", "\"only\""), "");
  EXPECT_THAT(basket_.notes, ElementsAre("only"));
  EXPECT_EQ(json("notes", "\"\""), "");
  EXPECT_THAT(basket_.notes, IsEmpty());
}

TEST_F(OptionValuesTest, SharesAreAWordOrAList) {
  EXPECT_EQ(json("shares", "\"balanced\""), "");
  EXPECT_EQ(basket_.shares.kind, ClassWeights::Kind::kBalanced);
  EXPECT_EQ(typed("shares", "1, 2.5"), "");
  EXPECT_EQ(basket_.shares.kind, ClassWeights::Kind::kList);
  EXPECT_THAT(basket_.shares.values, ElementsAre(1, 2.5));
  EXPECT_EQ(sent("shares", "\"[3, 4]\""), "");
  EXPECT_THAT(basket_.shares.values, ElementsAre(3, 4));
  for (const char* text : {"[]", "\"some\"", "[10]", "[1, \"x\"]", "3"}) {
    EXPECT_NE(json("shares", text), "") << text;
  }
  EXPECT_EQ(typed("shares", "none"), "");
  EXPECT_EQ(basket_.shares, ClassWeights{});
}

TEST_F(OptionValuesTest, TypedTextIsStrict) {
  EXPECT_EQ(typed("count", "3"), "");
  EXPECT_EQ(typed("any", "-1"), "");
  EXPECT_EQ(basket_.any, -1);
  EXPECT_EQ(typed("weight", "1E-05"), "");
  EXPECT_EQ(typed("ripe", "True"), "");
  EXPECT_TRUE(basket_.ripe);
  for (const char* text :
       {"", "ten", "1e3", "3.0", "0x10", "1 2", "3,", "nan", "true", "\"3\""}) {
    EXPECT_THAT(typed("count", text), HasSubstr("expected a whole number"))
        << text;
  }
  for (const char* text : {"", "nan", "inf", "-inf", "1e400", "0.5x", "0,5"}) {
    EXPECT_THAT(typed("weight", text), HasSubstr("expected a number")) << text;
  }
  for (const char* text : {"", "0", "1", "yes", "on"}) {
    EXPECT_THAT(typed("ripe", text), HasSubstr("expected true or false"))
        << text;
  }
}

TEST_F(OptionValuesTest, TypedStringsAreLiteral) {
  for (const char* text :
       {"123", "-x", "\"quoted\"", " blanks ", "null", "[]", "true", "\t"}) {
    EXPECT_EQ(typed("name", text), "") << text;
    EXPECT_EQ(basket_.name, text);
  }
}

TEST_F(OptionValuesTest, StringsThatNoFileOrColumnCanHaveAreRefused) {
  EXPECT_THAT(json("name", "\"a\\u0000b\""), HasSubstr("NUL"));
  EXPECT_THAT(typed("name", "caf\xe9"), HasSubstr("not valid UTF-8"));
}

TEST_F(OptionValuesTest, ListsComeAsJsonOrAsRepeatedTexts) {
  const OptionField& notes = *find_field(fields_, "notes");
  EXPECT_EQ(typed("notes", R"(["a, b", "c"])"), "");
  EXPECT_THAT(basket_.notes, ElementsAre("a, b", "c"));
  EXPECT_EQ(set_value_from_text(notes, {"x", "[ab]*.csv", "y,z"},
                                TextRules::kCommandLine),
            std::nullopt);
  EXPECT_THAT(basket_.notes, ElementsAre("x", "[ab]*.csv", "y,z"));
  EXPECT_EQ(typed("prices", "[1, 2]"), "");
  EXPECT_THAT(basket_.prices, ElementsAre(1, 2));
  EXPECT_EQ(typed("prices", "[]"), "");
  EXPECT_THAT(basket_.prices, IsEmpty());
  EXPECT_THAT(typed("prices", "1,,2"), HasSubstr("as item 2"));
}

TEST_F(OptionValuesTest, AScalarGivenTwiceIsRefused) {
  EXPECT_THAT(set_value_from_text(*find_field(fields_, "count"), {"1", "1"},
                                  TextRules::kCommandLine)
                  .value_or(""),
              HasSubstr("given 2 times"));
}

TEST_F(OptionValuesTest, PlatformTextMayBeQuotedAgainAndAgain) {
  for (const char* text :
       {"3", "\"3\"", R"("\"3\"")", " 3 ", "3.0", "\"3.0\"", "3e0"}) {
    basket_.count = 0;
    EXPECT_EQ(sent("count", text), "") << text;
    EXPECT_EQ(basket_.count, 3) << text;
  }
  for (const char* text : {"true", "True", "TRUE", "\"true\"", "\"True\""}) {
    basket_.ripe = false;
    EXPECT_EQ(sent("ripe", text), "") << text;
    EXPECT_TRUE(basket_.ripe) << text;
  }
  for (const char* text : {"false", "False", "\"false\"", R"("\"False\"")"}) {
    basket_.ripe = true;
    EXPECT_EQ(sent("ripe", text), "") << text;
    EXPECT_FALSE(basket_.ripe) << text;
  }
  for (const char* text : {"1e-5", "1E-05", " 1e-5 ", "\"1e-5\"", "0.00001"}) {
    EXPECT_EQ(sent("weight", text), "") << text;
    EXPECT_EQ(basket_.weight, 1e-5) << text;
  }
  EXPECT_EQ(sent("fruit", "\"pear\""), "");
  EXPECT_EQ(basket_.fruit, Fruit::kPear);
}

TEST_F(OptionValuesTest, PlatformStringsStayStrings) {
  EXPECT_EQ(sent("name", "123"), "");
  EXPECT_EQ(basket_.name, "123");
  EXPECT_EQ(sent("name", "\"adamw\""), "");
  EXPECT_EQ(basket_.name, "adamw");
  EXPECT_EQ(sent("name", "a text with blanks"), "");
  EXPECT_EQ(basket_.name, "a text with blanks");
  EXPECT_EQ(sent("name", "true"), "");
  EXPECT_EQ(basket_.name, "true");
  EXPECT_EQ(sent("name", ""), "");
  EXPECT_EQ(basket_.name, "");
  EXPECT_EQ(sent("name", "\""), "");
  EXPECT_EQ(basket_.name, "\"");
  EXPECT_EQ(sent("notes", R"("[\"a\", \"b\"]")"), "");
  EXPECT_THAT(basket_.notes, ElementsAre("a", "b"));
  EXPECT_EQ(sent("prices", "[1, 2]"), "");
  EXPECT_THAT(basket_.prices, ElementsAre(1, 2));
}

TEST_F(OptionValuesTest, PlatformNonsenseIsRefused) {
  for (const char* text : {"", "3.5", "ten", "1e400", "nan", "\"\"", "[3]"}) {
    EXPECT_THAT(sent("count", text), HasSubstr("expected a whole number"))
        << text;
  }
  for (const char* text : {"0", "1", "yes", "", "fals"}) {
    EXPECT_THAT(sent("ripe", text), HasSubstr("expected true or false"))
        << text;
  }
  EXPECT_THAT(sent("weight", "1e400"), HasSubstr("expected a number"));
}

TEST_F(OptionValuesTest, LongValuesAreShortenedInMessages) {
  const std::string message = typed("count", std::string(100'000, 'x'));
  EXPECT_LT(message.size(), 300u);
  EXPECT_THAT(message, HasSubstr("..."));
}

}  // namespace
}  // namespace longformer
