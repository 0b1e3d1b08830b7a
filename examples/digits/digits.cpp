// Classifies handwritten digits (8x8 pixels) with a convolutional network or a multilayer perceptron.
#include <torch/torch.h>
#include <vescale/annotate.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

VESCALE_MESH(dp, tp)

struct Options {
  std::string data = "data/digits.csv";
  std::string model = "mlp";
  std::string save;
  std::string load;
  int steps = 50;
  int batch = 64;
  torch::Dtype dtype = torch::kFloat32;
};

// One line a digit: 64 pixels from 0 to 16, then the digit.
class Digits : public torch::data::datasets::Dataset<Digits> {
 public:
  Digits(const std::string& path, bool train, torch::Dtype dtype) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path + "; run ./dev setup, or pass --data FILE");
    std::vector<float> pixels;
    std::vector<int64_t> labels;
    std::string line;
    for (int row = 0; std::getline(file, line); ++row) {
      // The last fifth of the digits is for testing.
      if ((row % 5 != 4) != train) continue;
      std::stringstream fields(line);
      std::string field;
      for (int i = 0; i < 64 && std::getline(fields, field, ','); ++i)
        pixels.push_back(std::stof(field) / 16);
      std::getline(fields, field, ',');
      labels.push_back(std::stol(field));
    }
    const auto count = static_cast<int64_t>(labels.size());
    images_ = torch::tensor(pixels).view({count, 1, 8, 8}).to(dtype);
    labels_ = torch::tensor(labels);
  }

  torch::data::Example<> get(size_t index) override {
    return {images_[static_cast<int64_t>(index)], labels_[static_cast<int64_t>(index)]};
  }
  torch::optional<size_t> size() const override { return static_cast<size_t>(labels_.size(0)); }

 private:
  torch::Tensor images_, labels_;
};

struct MlpImpl : torch::nn::Module {
  MlpImpl() {
    up = register_module("up", torch::nn::Linear(64, 256));
    down = register_module("down", torch::nn::Linear(256, 64));
    head = register_module("head", torch::nn::Linear(64, 10));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = x.flatten(1);
    auto h = torch::gelu(up(x));
    h = torch::dropout(down(h), 0.1, is_training());
    return head(torch::relu(h));
  }

  VESCALE_PLACE("weight: tp=S(0); bias: tp=S(0)") torch::nn::Linear up{nullptr};
  VESCALE_PLACE("weight: tp=S(1)") torch::nn::Linear down{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Mlp);

struct CnnImpl : torch::nn::Module {
  CnnImpl() {
    features = register_module(
        "features",
        torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 3).padding(1).bias(false)),
                              torch::nn::BatchNorm2d(16), torch::nn::ReLU(),
                              torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(2)),
                              torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 32, 3).padding(1)),
                              torch::nn::ReLU(), torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(2))));
    dropout = register_module("dropout", torch::nn::Dropout(0.25));
    head = register_module("head", torch::nn::Linear(32 * 2 * 2, 10));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = features->forward(x);
    x = dropout(x.flatten(1));
    return head(x);
  }

  torch::nn::Sequential features{nullptr};
  torch::nn::Dropout dropout{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Cnn);

template <typename Model, typename Loader>
void train(Model& model, Loader& loader, const Options& options) {
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(1e-3));
  model->train();
  int step = 0;
  while (step < options.steps) {
    for (auto& batch : loader) {
      if (step == options.steps) break;
      VESCALE_PLACE("dp=S(0)") torch::Tensor images = batch.data;
      VESCALE_PLACE("dp=S(0)") torch::Tensor labels = batch.target;
      optimizer.zero_grad();
      auto loss = torch::nn::functional::cross_entropy(model->forward(images), labels);
      loss.backward();
      optimizer.step();
      std::printf("step %d loss %.12f\n", ++step, loss.template item<double>());
    }
  }
}

template <typename Model, typename Loader>
double accuracy(Model& model, Loader& loader) {
  torch::NoGradGuard no_grad;
  model->eval();
  int64_t correct = 0, total = 0;
  for (auto& batch : loader) {
    VESCALE_PLACE("dp=S(0)") torch::Tensor images = batch.data;
    VESCALE_PLACE("dp=S(0)") torch::Tensor labels = batch.target;
    auto predicted = model->forward(images).argmax(1);
    correct += predicted.eq(labels).sum().template item<int64_t>();
    total += labels.size(0);
  }
  return static_cast<double>(correct) / static_cast<double>(total);
}

template <typename Model>
void run(Model model, const Options& options) {
  model->to(options.dtype);
  if (!options.load.empty()) torch::load(model, options.load);

  auto train_set = Digits(options.data, true, options.dtype).map(torch::data::transforms::Stack<>());
  auto test_set = Digits(options.data, false, options.dtype).map(torch::data::transforms::Stack<>());
  auto train_loader =
      torch::data::make_data_loader(std::move(train_set),  // in a new order each epoch
                                    torch::data::DataLoaderOptions().batch_size(options.batch));
  auto test_loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(test_set), torch::data::DataLoaderOptions().batch_size(256));

  train(model, *train_loader, options);
  std::printf("accuracy %.4f\n", accuracy(model, *test_loader));
  if (!options.save.empty()) torch::save(model, options.save);
}

torch::Dtype parse_dtype(const std::string& name) {
  if (name == "float32") return torch::kFloat32;
  if (name == "float64") return torch::kFloat64;
  throw std::runtime_error("unknown dtype " + name + "; use float32 or float64");
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::runtime_error("option " + name + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--data") {
      options.data = value;
    } else if (name == "--model") {
      options.model = value;
    } else if (name == "--save") {
      options.save = value;
    } else if (name == "--load") {
      options.load = value;
    } else if (name == "--steps") {
      options.steps = std::stoi(value);
    } else if (name == "--batch") {
      options.batch = std::stoi(value);
    } else if (name == "--dtype") {
      options.dtype = parse_dtype(value);
    } else {
      throw std::runtime_error("unknown option " + name);
    }
  }
  return options;
}

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  torch::manual_seed(1);
  if (options.model == "cnn") {
    Cnn model;
    run(model, options);
  } else if (options.model == "mlp") {
    Mlp model;
    run(model, options);
  } else {
    throw std::runtime_error("unknown model " + options.model + "; use cnn or mlp");
  }
  return 0;
}
