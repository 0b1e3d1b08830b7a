# Generates the op surface from the operators of the LibTorch that is built against (tools/opgen).
#
# vescale_generated            target that everything which includes <vescale/dtensor.h> depends on
# VESCALE_GENERATED_SOURCES    definitions, part of libvescale
set(VESCALE_PYTHON "${VESCALE_TORCH_DIR}/../../../../bin/python" CACHE FILEPATH
  "A Python that can import torchgen of the same torch")
set(VESCALE_GENERATED_COUNT 14)
set(VESCALE_GENERATED_INCLUDE "${PROJECT_BINARY_DIR}/include/vescale/generated")

set(VESCALE_GENERATED_SOURCES)
math(EXPR last "${VESCALE_GENERATED_COUNT} - 1")
foreach(i RANGE ${last})
  list(APPEND VESCALE_GENERATED_SOURCES "${PROJECT_BINARY_DIR}/generated/ops_${i}.cpp")
endforeach()
set(VESCALE_GENERATED_HEADERS)
foreach(name ops.h ops_internal.h namespaces.h methods.inc special.h)
  list(APPEND VESCALE_GENERATED_HEADERS "${VESCALE_GENERATED_INCLUDE}/${name}")
endforeach()

# The stamp is what a changed generator makes stale; files whose text stays the same keep their time.
file(GLOB opgen_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/opgen/*.py" "${PROJECT_SOURCE_DIR}/tools/opgen/*.yaml")
add_custom_command(
  OUTPUT "${PROJECT_BINARY_DIR}/generated/opgen.stamp"
  BYPRODUCTS ${VESCALE_GENERATED_HEADERS} ${VESCALE_GENERATED_SOURCES}
  COMMAND "${VESCALE_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/opgen/opgen.py" sources
    --include "${VESCALE_GENERATED_INCLUDE}" --source "${PROJECT_BINARY_DIR}/generated" --count ${VESCALE_GENERATED_COUNT}
  COMMAND "${CMAKE_COMMAND}" -E touch "${PROJECT_BINARY_DIR}/generated/opgen.stamp"
  DEPENDS ${opgen_files}
  COMMENT "Generating the op surface from LibTorch's operators")
add_custom_target(vescale_generated DEPENDS "${PROJECT_BINARY_DIR}/generated/opgen.stamp")
