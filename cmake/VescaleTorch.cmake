# LibTorch 2.11 from the Python wheel, CPU libraries only, as the imported target vescale::torch.
#
# The wheel's own TorchConfig.cmake demands a CUDA toolkit for a CUDA build of torch; what we link needs none.
set(VESCALE_TORCH_DIR "${PROJECT_SOURCE_DIR}/.venv/lib/python3.11/site-packages/torch" CACHE PATH
  "The torch folder of the Python wheel")
if(NOT EXISTS "${VESCALE_TORCH_DIR}/include/torch/csrc/api/include/torch/torch.h")
  message(FATAL_ERROR "LibTorch not found in ${VESCALE_TORCH_DIR}: run ./dev setup, or set VESCALE_TORCH_DIR")
endif()

# LibTorch as usage requirements of an interface target, imported or not.
function(vescale_describe_torch target)
  target_include_directories(${target} SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${VESCALE_TORCH_DIR}/include;${VESCALE_TORCH_DIR}/include/torch/csrc/api/include>")
  foreach(library torch torch_cpu c10)
    target_link_libraries(${target} INTERFACE "$<BUILD_INTERFACE:${VESCALE_TORCH_DIR}/lib/lib${library}.so>")
  endforeach()
  # libtorch.so names CUDA libraries that programs on a CPU never load symbols from.
  target_link_options(${target} INTERFACE "$<BUILD_INTERFACE:LINKER:--unresolved-symbols=ignore-in-shared-libs>"
    "$<BUILD_INTERFACE:LINKER:-rpath,${VESCALE_TORCH_DIR}/lib>")
endfunction()

if(NOT TARGET vescale::torch AND NOT VESCALE_TORCH_IMPORTED)
  add_library(vescale_torch INTERFACE)
  add_library(vescale::torch ALIAS vescale_torch)
  set_target_properties(vescale_torch PROPERTIES EXPORT_NAME torch)
  vescale_describe_torch(vescale_torch)
endif()

# One precompiled torch/torch.h that every torch-using target of the same flags shares.
function(vescale_use_torch_pch target)
  if(NOT TARGET vescale_torch_pch)
    file(WRITE "${PROJECT_BINARY_DIR}/torch_pch.cpp" "// carries the precompiled torch/torch.h\n")
    add_library(vescale_torch_pch OBJECT "${PROJECT_BINARY_DIR}/torch_pch.cpp")
    target_link_libraries(vescale_torch_pch PRIVATE vescale::torch)
    target_precompile_headers(vescale_torch_pch PRIVATE <torch/torch.h>)
    target_compile_options(vescale_torch_pch PRIVATE -Xclang -fno-pch-timestamp)
  endif()
  target_precompile_headers(${target} REUSE_FROM vescale_torch_pch)
  # Executables too: clang takes the header only into code of the mode that it was built in.
  target_compile_options(${target} PRIVATE -fPIC -Xclang -fno-pch-timestamp)
endfunction()
