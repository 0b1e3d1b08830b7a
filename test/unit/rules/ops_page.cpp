#include "ops_page.h"

#include <map>
#include <vector>

#include "Sharding/Rules/Table.h"

namespace vescale::sharding::test {
namespace {

using rules::Entry;

struct Section {
  std::string_view title;
  std::string_view text;
  std::vector<std::string_view> families;
};

const std::vector<Section>& sections() {
  static const std::vector<Section> all{
      {"Elementwise",
       "Any dim of any tensor may be sharded; the tensors broadcast together.",
       {"pointwise", "prelu"}},
      {"Elementwise, sized as the first tensor",
       "Dims of the first tensor may be sharded; others broadcast to it. Random ones draw the bits that the "
       "whole "
       "tensor gets on one device. What is overwritten may be Partial.",
       {"sized_as_self", "overwrite", "type_as"}},
      {"New tensors",
       "Sized as a given one they get its placements; of other sizes they are replicated.",
       {"like", "ignores_self"}},
      {"Products",
       "Every dim may be sharded. What is summed over gives Partial; a bias is then added once. One Partial "
       "operand "
       "passes if the others are replicated.",
       {"matmul", "linear", "bilinear", "addmm", "inner", "outer", "tensordot", "kron", "einsum"}},
      {"Reductions",
       "Dims that are not reduced may be sharded. Reduced ones may for sums, which gives Partial; the "
       "runtime reduces "
       "mean, var, std and norms over sharded dims by itself.",
       {"reduction", "pair_reduction"}},
      {"Along dims",
       "The dims that the op works along stay whole; the others may be sharded.",
       {"along_dim", "msort", "topk", "triangle", "rot90", "glu"}},
      {"Views",
       "Dims are split and merged as products of factors, so a shard stays one wherever a factor is common "
       "to both "
       "shapes. Partial of every kind passes.",
       {"view", "view_as", "flatten", "ravel", "unflatten", "atleast", "expand", "expand_as", "permute",
        "swap_dims", "transpose_last", "reverse_dims", "movedim", "squeeze", "unsqueeze", "view_as_real",
        "view_as_complex"}},
      {"Parts",
       "The dim that is cut stays whole, unless it is kept in full or split into equal pieces: then a shard "
       "of each "
       "piece, S(d,k), passes.",
       {"slice", "narrow", "select", "diagonal", "unfold", "split", "unbind"}},
      {"Joins",
       "Other dims may be sharded. Equal pieces that are sharded along the joined dim give S(d,k).",
       {"cat", "stack", "repeat", "pad"}},
      {"Normalisation",
       "Batch dims may be sharded, and channels where statistics are per channel. The runtime reduces "
       "batch_norm's "
       "statistics over a sharded batch.",
       {"layer_norm", "group_norm", "instance_norm", "batch_norm"}},
      {"Convolution",
       "Batch, output channels and input channels (a sum) may be sharded; space stays whole, and with groups "
       "the "
       "channels do.",
       {"convolution"}},
      {"Pooling, resizing",
       "What comes before space may be sharded.",
       {"pool", "resize", "pixel_shuffle", "grid_sampler", "im2col", "col2im"}},
      {"Lookups",
       "The dim that is looked up in stays whole; indices and all other dims may be sharded.",
       {"embedding", "index_select", "gather", "scatter", "index_add", "index", "index_put", "searchsorted",
        "isin"}},
      {"Losses",
       "Without reduction, or summed, every dim but the classes may be sharded. The runtime computes means "
       "and sharded "
       "classes by itself.",
       {"pointwise_loss", "class_loss", "row_loss"}},
      {"Attention", "Batch and heads may be sharded, queries unless is_causal.", {"attention"}},
  };
  return all;
}

std::string op_text(const Entry& entry) {
  std::string text = "`" + std::string(entry.name) + "`";
  if (entry.traits.linearity == Linearity::Movement) text += "ᵐ";
  if (entry.traits.linearity == Linearity::Joint) text += "ʲ";
  if (entry.traits.linearity == Linearity::Multilinear) text += "ᵇ";
  return text;
}

void append_wrapped(std::string& page, const std::vector<std::string>& items) {
  std::size_t column = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    if (column > 0 && column + item.size() > 110) {
      page += "\n";
      column = 0;
    }
    page += (column > 0 ? " " : "") + item;
    column += item.size() + 1;
  }
  page += "\n";
}

}  // namespace

std::string ops_page() {
  std::map<std::string_view, std::vector<const Entry*>> by_family;
  std::vector<const Entry*> written;
  for (const Entry* entry : rules::all_entries()) {
    if (entry->family) by_family[entry->family_name].push_back(entry);
    if (!entry->family) written.push_back(entry);
  }
  std::string page =
      "# Ops with a sharding rule\n\n"
      "What each op lets pass without communication. In-place and `out=` forms follow the same rule. An op "
      "that is\n"
      "not here runs on replicated inputs, with one warning. `name.overload` is a rule for one overload.\n\n"
      "ʲ: linear in its inputs together, so all may be Partial. ᵇ: linear in each, so one may. ᵐ: only "
      "moves\n"
      "elements, so Partial of every kind passes. Products, views, parts and joins are so throughout.\n"
      "Made from `lib/Sharding/Rules/Table.cpp` by `ops_page`; a test compares.\n";
  for (const Section& section : sections()) {
    std::vector<std::string> items;
    for (std::string_view family : section.families) {
      for (const Entry* entry : by_family[family]) items.push_back(op_text(*entry));
      by_family.erase(family);
    }
    page += "\n## " + std::string(section.title) + "\n\n" + std::string(section.text) + "\n\n";
    append_wrapped(page, items);
  }
  page += "\n## In the notation of rules\n\n";
  for (const Entry* entry : written) {
    page += "- `" + std::string(entry->name) + "`: `" + std::string(entry->notation) + "`\n";
  }
  for (const auto& [family, entries] : by_family)
    page += "\nNo section has the family " + std::string(family) + ".\n";
  return page;
}

}  // namespace vescale::sharding::test
