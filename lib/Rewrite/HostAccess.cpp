#include "Rewrite/HostAccess.h"

namespace vescale::rewrite {

void report_host_access(const facts::Program& program, Messages& messages) {
  for (const facts::Expr& expr : program.exprs) {
    if (expr.kind != facts::Expr::Kind::HostAccess || !expr.callee.valid()) continue;
    const std::string& path = program.files[static_cast<std::size_t>(expr.callee.file)].path;
    messages.add({path, expr.callee.line, expr.callee.column, Message::Level::Error, "VS1040",
                  "'" + expr.name + "' reads memory that holds only a rank's piece; write .full()." +
                      expr.name + " for all values, .local()." + expr.name +
                      " for the piece, or mark the function VESCALE_HOST"});
  }
}

}  // namespace vescale::rewrite
