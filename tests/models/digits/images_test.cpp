#include "models/digits/images.h"

#include <filesystem>
#include <gmock/gmock.h>

#include "tests/support/digit_files.h"
#include "tests/support/message.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace phasor::digits {
namespace {

using phasor::test::message_of;
using ::testing::HasSubstr;

class DigitImages : public ::testing::Test {
 protected:
  DigitImages() {
    phasor::test::write_digit_files(folder_.path(), "train", 23, 16);
    phasor::test::write_digit_files(folder_.path(), "t10k", 5, 16);
  }
  std::string refusal(const convnet::Config& model, Part part = Part::train) const {
    return message_of([&] { load_images(folder_.path(), part, model); });
  }

  phasor::test::TemporaryFolder folder_;
  convnet::Config model_{.image_size = 16};
};

TEST_F(DigitImages, AreFoundByTheirPart) {
  const Images train = load_images(folder_.path(), Part::train, model_);
  const Images test = load_images(folder_.path(), Part::test, model_);
  EXPECT_EQ(train.size(), 23);
  EXPECT_EQ(train.labels[12], 2);
  EXPECT_EQ(test.size(), 5);
  EXPECT_EQ(test.pixels_of_one(), 256);
}

TEST_F(DigitImages, NeedNoLabelsWhereNobodyAsks) {
  std::filesystem::remove(folder_.file("t10k-labels-idx1-ubyte"));
  EXPECT_EQ(load_unlabelled_images(folder_.path(), model_).size(), 5);
  EXPECT_EQ(load_unlabelled_images(folder_.file("train-images-idx3-ubyte"), model_).size(), 23);
  EXPECT_THAT(refusal(model_, Part::test), HasSubstr("neither t10k-labels-idx1-ubyte nor t10k-labels-idx1-ubyte.gz"));
}

TEST_F(DigitImages, ThatDoNotGoWithTheModelAreRefused) {
  EXPECT_THAT(refusal({.image_size = 28}), HasSubstr("are 16 x 16, but model.image_size is 28"));
  EXPECT_THAT(refusal({.image_size = 16, .classes = 9}),
              HasSubstr("label 9 of '" + folder_.file("train-labels-idx1-ubyte") + "' is 9, but model.classes is 9"));
  phasor::test::TemporaryFolder other;
  phasor::test::write_digit_files(other.path(), "train", 7, 16);
  std::filesystem::copy_file(other.file("train-labels-idx1-ubyte"), folder_.file("train-labels-idx1-ubyte"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(refusal(model_), HasSubstr("has 7 labels for the 23 images of"));
}

TEST_F(DigitImages, OfAnotherFolderAreRefused) {
  const auto refusal_of = [&](const std::string& path) {
    return message_of([&] { load_images(path, Part::train, model_); });
  };
  EXPECT_THAT(refusal_of(folder_.file("nothing")), HasSubstr("is not there, expected the folder of MNIST's files"));
  EXPECT_THAT(refusal_of(folder_.file("t10k-images-idx3-ubyte")), HasSubstr("is a file, expected the folder"));
  phasor::test::write_digit_files(folder_.path(), "train", 0, 16);
  EXPECT_THAT(refusal_of(folder_.path()), HasSubstr("has no images"));
}

TEST(Mnist, HasSixtyThousandAndTenThousandImages) {
  PHASOR_NEEDS_DATA("mnist/train-images-idx3-ubyte.gz");
  const std::string folder = phasor::test::shared_data("mnist");
  EXPECT_EQ(load_images(folder, Part::train, {}).size(), 60'000);
  EXPECT_EQ(load_images(folder, Part::test, {}).size(), 10'000);
}

}  // namespace
}  // namespace phasor::digits
