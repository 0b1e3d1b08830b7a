#include "shape_lines.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace vescale::sharding::test {
namespace {

std::vector<std::int64_t> read_sizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  std::istringstream stream(text.substr(text.find('[') + 1));
  for (std::int64_t size = 0; stream >> size;) {
    sizes.push_back(size);
    stream.ignore(1);
  }
  return sizes;
}

TensorFacts read_tensor(const std::string& text) {
  return {{}, read_sizes(text), text.front() == 'f', text.front() == 'm'};
}

// {f[2,3],-,f[4]}
std::vector<std::optional<TensorFacts>> read_list(const std::string& text) {
  std::vector<std::optional<TensorFacts>> list;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == ',') continue;
    if (text[i] == '-') {
      list.emplace_back();
      continue;
    }
    const std::size_t end = text.find(']', i);
    list.emplace_back(read_tensor(text.substr(i, end + 1 - i)));
    i = end;
  }
  return list;
}

Argument read_argument(const std::string& text) {
  switch (text.front()) {
    case '-':
      return {};
    case 'n':
      return static_cast<std::int64_t>(std::stoll(text.substr(1)));
    case 'y':
      return text == "y1";
    case 'N':
      return read_sizes(text);
    case '"':
      return text.substr(1, text.size() - 2);
    case '{':
      return read_list(text);
    default:
      return read_tensor(text);
  }
}

ShapeLine read_line(const std::string& text) {
  ShapeLine line;
  line.text = text;
  std::istringstream stream(text);
  std::string item;
  std::getline(stream, item, '\t');
  line.name = item.substr(0, item.find('.'));
  if (item.find('.') != std::string::npos) line.overload = item.substr(item.find('.') + 1);
  while (std::getline(stream, item, '\t') && item != "=>") line.arguments.push_back(read_argument(item));
  while (std::getline(stream, item, '\t')) line.results.push_back(read_sizes(item));
  return line;
}

}  // namespace

std::vector<ShapeLine> read_shape_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<ShapeLine> lines;
  for (std::string text; std::getline(file, text);) lines.push_back(read_line(text));
  return lines;
}

}  // namespace vescale::sharding::test
