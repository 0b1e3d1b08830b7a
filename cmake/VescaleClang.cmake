# Clang and LLVM 19 for the parts of vescale-rewrite that see C++ sources.
find_package(Clang REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/clang NO_DEFAULT_PATH)
set(VESCALE_CLANG_RESOURCE_DIR "/usr/lib/llvm-19/lib/clang/19" CACHE PATH "clang's own headers, used by vescale-rewrite")
if(NOT EXISTS "${VESCALE_CLANG_RESOURCE_DIR}/include/stddef.h")
  message(FATAL_ERROR "no clang headers under ${VESCALE_CLANG_RESOURCE_DIR}; install clang-19 or set VESCALE_CLANG_RESOURCE_DIR")
endif()

# For targets whose sources include clang's headers; these never appear in the target's interface.
function(vescale_use_clang target)
  target_include_directories(${target} SYSTEM PRIVATE ${CLANG_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE VESCALE_CLANG_RESOURCE_DIR="${VESCALE_CLANG_RESOURCE_DIR}")
  target_compile_options(${target} PRIVATE -fno-rtti -O1)
  target_link_libraries(${target} PUBLIC clang-cpp LLVM)
endfunction()
