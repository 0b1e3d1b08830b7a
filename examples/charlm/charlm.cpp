// A character language model: a pre-norm transformer trained on a text, then used to write some.
#include <torch/torch.h>
#include <vescale/annotate.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

VESCALE_MESH(dp, tp)

struct Options {
  std::string data = "/usr/share/common-licenses/GPL-3";
  std::string save;
  int64_t steps = 50;
  int64_t layers = 2;
  int64_t dim = 32;
  int64_t heads = 4;
  int64_t batch = 8;
  int64_t seq = 16;
  int64_t generate = 64;
  double dropout = 0.1;
  torch::Dtype dtype = torch::kFloat32;
};

struct Text {
  std::string characters;  // the vocabulary: each distinct character once
  torch::Tensor tokens;    // the text as indices into it
};

Text read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path + "; pass --data FILE");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Text result;
  std::vector<int64_t> tokens;
  for (char c : text) {
    auto index = result.characters.find(c);
    if (index == std::string::npos) {
      index = result.characters.size();
      result.characters.push_back(c);
    }
    tokens.push_back(static_cast<int64_t>(index));
  }
  result.tokens = torch::tensor(tokens);
  return result;
}

// The keys and values of all tokens so far, for writing one token at a time.
struct Cache {
  torch::Tensor keys, values;
};

struct AttentionImpl : torch::nn::Module {
  AttentionImpl(int64_t dim, int64_t heads, double dropout) : heads_(heads), dropout_(dropout) {
    query = register_module("query", torch::nn::Linear(dim, dim));
    key = register_module("key", torch::nn::Linear(dim, dim));
    value = register_module("value", torch::nn::Linear(dim, dim));
    out = register_module("out", torch::nn::Linear(dim, dim));
  }

  torch::Tensor split_heads(torch::Tensor x) {
    return x.view({x.size(0), x.size(1), heads_, x.size(2) / heads_}).transpose(1, 2);
  }

  torch::Tensor forward(torch::Tensor x) {
    auto q = split_heads(query(x));
    auto k = split_heads(key(x));
    auto v = split_heads(value(x));
    const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(3)));
    auto scores = torch::matmul(q, k.transpose(2, 3)) * scale;
    auto future = torch::ones({x.size(1), x.size(1)}, torch::kBool).triu(1);
    auto weights = torch::softmax(scores.masked_fill(future, -1e9), -1);
    weights = torch::dropout(weights, dropout_, is_training());
    auto mixed = torch::matmul(weights, v).transpose(1, 2).flatten(2);
    return out(mixed);
  }

  // The next token alone; what came before is in the cache.
  torch::Tensor next(torch::Tensor x, Cache& cache) {
    auto q = split_heads(query(x));
    auto k = split_heads(key(x));
    auto v = split_heads(value(x));
    cache.keys = cache.keys.defined() ? torch::cat({cache.keys, k}, 2) : k;
    cache.values = cache.values.defined() ? torch::cat({cache.values, v}, 2) : v;
    const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(3)));
    auto weights = torch::softmax(torch::matmul(q, cache.keys.transpose(2, 3)) * scale, -1);
    return out(torch::matmul(weights, cache.values).transpose(1, 2).flatten(2));
  }

  VESCALE_PLACE("weight: tp=S(0); bias: tp=S(0)") torch::nn::Linear query{nullptr};
  VESCALE_PLACE("weight: tp=S(0); bias: tp=S(0)") torch::nn::Linear key{nullptr};
  VESCALE_PLACE("weight: tp=S(0); bias: tp=S(0)") torch::nn::Linear value{nullptr};
  VESCALE_PLACE("weight: tp=S(1)") torch::nn::Linear out{nullptr};
  int64_t heads_;
  double dropout_;
};
TORCH_MODULE(Attention);

struct BlockImpl : torch::nn::Module {
  BlockImpl(int64_t dim, int64_t heads, double dropout) : dropout_(dropout) {
    norm1 = register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({dim})));
    attention = register_module("attention", Attention(dim, heads, dropout));
    norm2 = register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({dim})));
    up = register_module("up", torch::nn::Linear(dim, 4 * dim));
    down = register_module("down", torch::nn::Linear(4 * dim, dim));
  }

  torch::Tensor feed_forward(torch::Tensor x) { return down(torch::gelu(up(x))); }

  torch::Tensor forward(torch::Tensor x) {
    x = x + torch::dropout(attention(norm1(x)), dropout_, is_training());
    x = x + torch::dropout(feed_forward(norm2(x)), dropout_, is_training());
    return x;
  }

  torch::Tensor next(torch::Tensor x, Cache& cache) {
    x = x + attention->next(norm1(x), cache);
    return x + feed_forward(norm2(x));
  }

  torch::nn::LayerNorm norm1{nullptr};
  Attention attention{nullptr};
  torch::nn::LayerNorm norm2{nullptr};
  VESCALE_PLACE("weight: tp=S(0); bias: tp=S(0)") torch::nn::Linear up{nullptr};
  VESCALE_PLACE("weight: tp=S(1)") torch::nn::Linear down{nullptr};
  double dropout_;
};
TORCH_MODULE(Block);

struct CharLmImpl : torch::nn::Module {
  CharLmImpl(int64_t vocabulary, const Options& options) {
    token = register_module("token", torch::nn::Embedding(vocabulary, options.dim));
    position = register_module("position", torch::nn::Embedding(options.seq, options.dim));
    blocks = register_module("blocks", torch::nn::ModuleList());
    for (int64_t i = 0; i < options.layers; ++i) {
      blocks->push_back(Block(options.dim, options.heads, options.dropout));
    }
    norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({options.dim})));
    head = register_module("head", torch::nn::Linear(options.dim, vocabulary));
  }

  torch::Tensor forward(torch::Tensor tokens) {
    auto x = token(tokens) + position(torch::arange(tokens.size(1)));
    for (const auto& block : *blocks) {
      x = block->as<BlockImpl>()->forward(x);
    }
    return head(norm(x));
  }

  torch::Tensor next(torch::Tensor tokens, int64_t where, std::vector<Cache>& caches) {
    auto x = token(tokens) + position(torch::full({1}, where, torch::kLong));
    for (size_t i = 0; i < blocks->size(); ++i) {
      x = blocks[i]->as<BlockImpl>()->next(x, caches[i]);
    }
    return head(norm(x));
  }

  torch::nn::Embedding token{nullptr};
  torch::nn::Embedding position{nullptr};
  torch::nn::ModuleList blocks{nullptr};
  torch::nn::LayerNorm norm{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(CharLm);

void train(CharLm& model, const torch::Tensor& text, const Options& options) {
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(3e-3));
  model->train();
  for (int64_t step = 1; step <= options.steps; ++step) {
    auto starts = torch::randint(text.size(0) - options.seq - 1, {options.batch, 1});
    auto positions = starts + torch::arange(options.seq);
    VESCALE_PLACE("dp=S(0)") torch::Tensor inputs = text.index({positions});
    VESCALE_PLACE("dp=S(0)") torch::Tensor targets = text.index({positions + 1});
    optimizer.zero_grad();
    auto logits = model->forward(inputs);
    auto loss = torch::nn::functional::cross_entropy(logits.flatten(0, 1), targets.flatten());
    loss.backward();
    optimizer.step();
    std::printf("step %ld loss %.12f\n", static_cast<long>(step), loss.item<double>());
  }
}

std::string write(CharLm& model, const Text& text, const Options& options) {
  torch::NoGradGuard no_grad;
  model->eval();
  std::vector<Cache> caches(static_cast<size_t>(options.layers));
  auto current = torch::zeros({1, 1}, torch::kLong);
  std::string written;
  const int64_t length = std::min(options.generate, options.seq);
  for (int64_t i = 0; i < length; ++i) {
    auto logits = model->next(current, i, caches);
    current = torch::multinomial(torch::softmax(logits.select(1, 0), -1), 1);
    written.push_back(text.characters[static_cast<size_t>(current.item<int64_t>())]);
  }
  return written;
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
    } else if (name == "--save") {
      options.save = value;
    } else if (name == "--steps") {
      options.steps = std::stol(value);
    } else if (name == "--layers") {
      options.layers = std::stol(value);
    } else if (name == "--dim") {
      options.dim = std::stol(value);
    } else if (name == "--heads") {
      options.heads = std::stol(value);
    } else if (name == "--batch") {
      options.batch = std::stol(value);
    } else if (name == "--seq") {
      options.seq = std::stol(value);
    } else if (name == "--generate") {
      options.generate = std::stol(value);
    } else if (name == "--dropout") {
      options.dropout = std::stod(value);
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
  const Text text = read_text(options.data);
  CharLm model(static_cast<int64_t>(text.characters.size()), options);
  model->to(options.dtype);
  train(model, text.tokens, options);
  std::printf("wrote %s\n", write(model, text, options).c_str());
  if (!options.save.empty()) torch::save(model, options.save);
  return 0;
}
