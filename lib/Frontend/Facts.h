#pragma once
/// What the frontend says of a program: plain structs, no clang type. Inference interprets them, Rewrite
/// edits by them.
///
/// Functions are trees of statements and expressions in source order; only what can carry a tensor, a size or
/// a branch is kept. Every node has its source range, so that whatever is decided can be written back.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vescale::facts {

/// A half-open range of bytes of a file, by index into Program::files, with the line and column of its begin.
struct SourceRange {
  int file = -1;
  unsigned begin = 0;
  unsigned end = 0;
  unsigned line = 0;
  unsigned column = 0;
  bool in_macro_body = false;  ///< spelled in a macro's body: edits must agree over all expansions
  bool valid() const { return file >= 0; }
};

/// What a C++ type means to us.
struct Type {
  enum class Kind : std::uint8_t {
    Other,
    Tensor,
    OptionalTensor,
    TensorList,  ///< vector, array, initializer_list, deque ... of tensors
    Tuple,       ///< tuple or pair; `elements`
    Map,         ///< map from anything to `elements[0]`
    Integer,
    Float,
    Bool,
    IntList,     ///< IntArrayRef, vector<int64_t>, initializer list of integers
    Module,      ///< a torch::nn module, a holder of one, or a user's Module; `name`
    ModuleList,  ///< container of modules: vector of holders, torch::nn::ModuleList
    Function,    ///< lambda, std::function
    Class,       ///< another user's class or struct with members of interest; `name`
    Optimizer,
  };
  Kind kind = Kind::Other;
  std::string name;  ///< qualified name without holder suffix tricks: "torch::nn::Linear", "MlpImpl"
  std::vector<Type> elements;
};

/// The text of a VESCALE_ annotation and where it is.
struct Annotation {
  enum class Kind : std::uint8_t { Mesh, Place, Redistribute, Rule, Host, Stage, Checkpoint };
  Kind kind = Kind::Place;
  std::string text;  ///< the string or arguments inside the parentheses
  SourceRange range;
};

using ExprId = int;
using VarId = int;       ///< index into Program::variables
using FunctionId = int;  ///< index into Program::functions
inline constexpr int none = -1;

struct Expr {
  enum class Kind : std::uint8_t {
    Unknown,   ///< `children` are evaluated, value unknown
    Variable,  ///< `variable`
    Member,    ///< children[0] . `name` (a field of a module or class; `this` is a This expression)
    This,
    OpCall,  ///< an ATen op: `name` ("linear"), children = arguments as written, `method`: children[0] is
             ///< self
    TorchFunction,  ///< a torch::nn::functional or torch::nn::init function: `name`
                    ///< ("torch::nn::functional::relu"); `text`: the custom autograd Function it applies
    ModuleCall,     ///< children[0] is the module expression, rest are arguments of forward
    UserCall,       ///< `function`; `method`: children[0] is the object
    CallValue,      ///< children[0] is a lambda or std::function value, rest are arguments
    Construct,      ///< an object of `type` from children (module construction, vector of tensors, tuple,
                    ///< options)
    Lambda,         ///< `function`
    Integer,
    Float,
    Bool,
    String,        ///< literals: `integer`, `number`, `text`
    IntList,       ///< {a, b}
    Arithmetic,    ///< integer or boolean arithmetic: `name` is the operator
    Size,          ///< children[0].size(children[1]) or .sizes(); `name` "size", "sizes", "numel", "dim"
    Index,         ///< children[0][children[1]] on a container, tuple or map; on a tensor it is OpCall
                   ///< "select"/"index"
    TupleGet,      ///< std::get<integer>(children[0])
    Item,          ///< children[0].item<T>(), bool(t), printing: host needs the full value; `name` says which
    HostAccess,    ///< data_ptr, accessor and the like: `name`
    Conditional,   ///< children[0] ? children[1] : children[2]
    Assign,        ///< children[0] = children[1] (also compound: `name` "+=")
    Redistribute,  ///< VESCALE_REDISTRIBUTE(children[0], text)
    Backward,      ///< children[0].backward()
    OptimizerCall,    ///< `name` "step", "zero_grad"; children[0] the optimizer
    InitializerList,  ///< braces whose meaning the context gives
  };
  Kind kind = Kind::Unknown;
  SourceRange range;   ///< of the whole expression, as spelled in the file
  SourceRange callee;  ///< of the narrowest token that names what is called
  Type type;
  std::string name;
  std::string text;
  std::vector<ExprId> children;
  std::vector<std::string> argument_names;  ///< for options structs: setter names beside children, else empty
  VarId variable = none;
  FunctionId function = none;
  std::int64_t integer = 0;
  double number = 0;
  bool method = false;
};

struct Stmt {
  enum class Kind : std::uint8_t {
    Block,       ///< `body`
    Declare,     ///< `variables` from `expr` (several with structured bindings)
    Expression,  ///< `expr`
    If,          ///< `expr`, body[0], body[1] (absent when there is no else)
    Loop,        ///< init and condition in `body[0]`/`expr`, body in body.back(); range-for: `variables` over
                 ///< `expr`
    Return,      ///< `expr` or none
    Break,
    Continue,
  };
  Kind kind = Kind::Block;
  SourceRange range;
  ExprId expr = none;
  std::vector<VarId> variables;
  std::vector<Stmt> body;
  bool range_for = false;
};

struct Variable {
  std::string name;
  std::string qualified_name;  ///< "Class::function.variable", as plans name it
  Type type;
  SourceRange range;       ///< of the name
  SourceRange type_range;  ///< of the spelled type
  std::vector<Annotation> annotations;
  bool is_parameter = false;
  bool is_global = false;
  bool by_reference = false;
};

struct Function {
  std::string name;  ///< "Class::method" or "function"; lambdas: "Class::method.lambda@LINE"
  std::vector<VarId> parameters;
  std::vector<VarId> captures;
  Type return_type;
  Stmt body;
  SourceRange range;
  SourceRange name_range;
  std::vector<Annotation> annotations;
  std::string class_name;  ///< of methods
  bool has_body = false;
  bool is_constructor = false;
  bool host = false;  ///< host side: stays plain torch::Tensor
};

/// A field of a module or class.
struct Field {
  std::string name;
  Type type;
  SourceRange range;
  std::vector<Annotation> annotations;
  std::string registered_name;  ///< what register_module / register_parameter / register_buffer calls it
  enum class Role : std::uint8_t { Plain, Module, Parameter, Buffer } role = Role::Plain;
  ExprId initializer =
      none;  ///< the value in the constructor or in-class, e.g. Construct torch::nn::Linear(8, 32)
};

struct Class {
  std::string name;
  bool is_module = false;
  bool host = false;  ///< Dataset, transform, sampler and what only they reach
  std::vector<std::string> bases;
  std::vector<Field> fields;
  std::vector<Annotation> annotations;
  SourceRange range;
};

/// A place where a tensor is used in a way we have no node for; every one is either rewritten or diagnosed.
struct Unhandled {
  SourceRange range;
  std::string what;
};

struct File {
  std::string path;  ///< real path
  bool in_root = false;
  bool is_main_source = false;
};

struct Program {
  std::vector<File> files;
  std::vector<Expr> exprs;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Class> classes;
  std::vector<Annotation> annotations;  ///< at file scope: VESCALE_MESH
  std::vector<Unhandled> unhandled;
  FunctionId main = none;
};

}  // namespace vescale::facts
