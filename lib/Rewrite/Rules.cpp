#include "Rewrite/Rules.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <set>

#include "Frontend/TorchTypes.h"
#include "Frontend/Types.h"
#include "Rewrite/PlacedValues.h"
#include "Sharding/Notation.h"

namespace vescale::rewrite {
namespace {

using frontend::Locations;

const clang::AnnotateAttr* rule_attribute(const clang::Decl& decl) {
  for (const auto* attribute : decl.specific_attrs<clang::AnnotateAttr>()) {
    if (attribute->getAnnotation().starts_with("vescale:rule:")) return attribute;
  }
  return nullptr;
}

bool is_custom_function(const clang::CXXRecordDecl& record) {
  return record.hasDefinition() && frontend::derives_from(record, "torch::autograd::Function");
}

bool holds_tensors(const clang::ParmVarDecl* parameter) {
  return frontend::holds_tensor(parameter->getType());
}

class Collector : public clang::RecursiveASTVisitor<Collector> {
 public:
  Collector(const Locations& locations, const plan::Plan& plan, Messages& messages)
      : locations_(locations), plan_(plan), messages_(messages) {}

  bool TraverseDecl(clang::Decl* decl) {
    if (decl && !llvm::isa<clang::TranslationUnitDecl>(decl) && decl->getLocation().isValid() &&
        !locations_.in_root(locations_.sources().getExpansionLoc(decl->getLocation()))) {
      return true;
    }
    return RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    if (method && method->getParent()->isLambda()) return true;
    if (take(*function)) check_operands(*function);
    return true;
  }
  bool VisitCXXRecordDecl(clang::CXXRecordDecl* record) {
    if (!is_custom_function(*record) || !take(*record)) return true;
    for (const clang::CXXMethodDecl* method : record->methods()) {
      if (method->getIdentifier() && method->getName() == "forward") check_operands(*method);
    }
    return true;
  }

  Rules rules;
  std::set<clang::SourceLocation> applied;

 private:
  // Whether this declaration itself tells a rule that can be read.
  bool take(const clang::NamedDecl& decl) {
    const clang::AnnotateAttr* attribute = rule_attribute(decl);
    if (attribute) applied.insert(locations_.sources().getExpansionLoc(attribute->getLocation()));
    const std::string* planned = plan_.rule_of(frontend::qualified_name(decl));
    if (planned) {
      place_ = decl.getLocation();
      rule_ = *planned;
    } else if (attribute && !attribute->isInherited()) {
      place_ = locations_.sources().getExpansionLoc(attribute->getLocation());
      rule_ = attribute->getAnnotation().substr(std::string("vescale:rule:").size()).str();
    } else {
      return false;
    }
    rules.add(decl, rule_);
    return well_formed();
  }

  bool well_formed() const {
    try {
      sharding::Notation::compile(rule_);
      return true;
    } catch (const sharding::NotationError& problem) {
      error(place_in_text(problem.position()), problem.what());
      return false;
    }
  }

  // The character of the rule's text, where it is one literal as written; else where the annotation is.
  clang::SourceLocation place_in_text(std::size_t position) const {
    if (!place_.isFileID()) return place_;
    const llvm::StringRef text = locations_.file_text(place_);
    const unsigned begin = locations_.sources().getFileOffset(place_);
    const std::size_t quote = text.find('"', begin);
    if (quote == llvm::StringRef::npos || !text.substr(quote + 1).starts_with(rule_)) return place_;
    return place_.getLocWithOffset(static_cast<int>(quote + 1 + position - begin));
  }

  void check_operands(const clang::FunctionDecl& function) const {
    const auto tensors =
        static_cast<std::size_t>(std::count_if(function.param_begin(), function.param_end(), holds_tensors));
    const sharding::Notation notation = sharding::Notation::compile(rule_);
    if (function.isTemplated() || function.isVariadic() || tensors == notation.operands().size()) return;
    error(place_, "the rule \"" + rule_ + "\" has " + std::to_string(notation.operands().size()) +
                      " operands, but '" + frontend::qualified_name(function) + "' takes " +
                      std::to_string(tensors) +
                      " tensors; write one operand for each, optional ones with '?'");
  }

  void error(clang::SourceLocation place, const std::string& text) const {
    messages_.add(message_at(locations_, place, Message::Level::Error, "VS1025", text));
  }

  const Locations& locations_;
  const plan::Plan& plan_;
  Messages& messages_;
  std::string rule_;
  clang::SourceLocation place_;
};

}  // namespace

const std::string* Rules::of(const clang::Decl& decl) const {
  const auto found = rules_.find(decl.getCanonicalDecl());
  return found == rules_.end() ? nullptr : &found->second;
}

const std::string* Rules::of_callee(const clang::NamedDecl& callee) const {
  const clang::NamedDecl* decl = callee.getUnderlyingDecl();
  if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(decl))
    decl = pattern->getTemplatedDecl();
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl);
  if (!function) return nullptr;
  if (const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern()) {
    if (const std::string* rule = of(*pattern)) return rule;
  }
  if (const clang::CXXRecordDecl* custom = frontend::custom_function(*function)) return of(*custom);
  return of(*function);
}

Rules find_rules(clang::ASTContext& context, const Locations& locations, const plan::Plan& plan,
                 const std::vector<clang::SourceLocation>& annotations, Messages& messages) {
  Collector collector(locations, plan, messages);
  collector.TraverseDecl(context.getTranslationUnitDecl());
  for (const clang::SourceLocation place : annotations) {
    if (collector.applied.count(locations.sources().getExpansionLoc(place))) continue;
    messages.add(message_at(locations, place, Message::Level::Error, "VS1026",
                            "VESCALE_RULE belongs before a function, or between 'struct' and the name of a "
                            "class derived from torch::autograd::Function; here it means nothing"));
  }
  return std::move(collector.rules);
}

}  // namespace vescale::rewrite
