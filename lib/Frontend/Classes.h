#pragma once
/// Modules and other classes of the project: their fields, placements and registered names.
#include <clang/AST/ASTContext.h>

#include <vector>

#include "Frontend/Facts.h"
#include "Frontend/Locations.h"

namespace vescale::frontend {

/// Source ranges need indices of files; this gives them out.
class FileTable {
 public:
  explicit FileTable(std::vector<facts::File>& files) : files_(files) {}
  int index_of(const std::string& path, bool in_root);

 private:
  std::vector<facts::File>& files_;
};

facts::SourceRange lower_range(clang::SourceRange range, const Locations& locations, FileTable& files);
std::vector<facts::Annotation> lower_annotations(const clang::Decl& decl, const Locations& locations,
                                                 FileTable& files);

/// Every class with a definition under the root, in source order.
std::vector<facts::Class> lower_classes(clang::ASTContext& context, const Locations& locations,
                                        FileTable& files);

}  // namespace vescale::frontend
