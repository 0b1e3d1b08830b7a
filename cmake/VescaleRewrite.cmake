# Programs from single-device LibTorch sources: rewritten at build time, compiled against vescale::vescale.

# The flags of `target` for the tool, as generator expressions.
function(_vescale_rewrite_flags target result)
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(standard "$<TARGET_PROPERTY:${target},CXX_STANDARD>")
  set(${result}
    "-std=c++$<IF:$<BOOL:${standard}>,${standard},17>"
    "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>"
    "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>"
    PARENT_SCOPE)
endfunction()

# vescale_add_executable(name SOURCES source... [PLAN plan.json] [ROOT folder] [ARGS argument...])
#
# Rewrites the sources, and the headers below ROOT (default: the current source folder) that they include, into the
# build folder and builds the program from there. Runs again only when a source, a header or the plan changes. ARGS go
# to vescale-rewrite.
function(vescale_add_executable name)
  cmake_parse_arguments(arg "" "PLAN;ROOT" "SOURCES;ARGS" ${ARGN})
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "vescale_add_executable(${name}): no SOURCES")
  endif()
  if(NOT arg_ROOT)
    set(arg_ROOT "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  set(tree "${CMAKE_CURRENT_BINARY_DIR}/${name}.vescale")
  set(inputs)
  set(outputs)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    file(RELATIVE_PATH relative "${arg_ROOT}" "${source}")
    list(APPEND inputs "${source}")
    list(APPEND outputs "${tree}/${relative}")
  endforeach()
  set(plan)
  if(arg_PLAN)
    get_filename_component(arg_PLAN "${arg_PLAN}" ABSOLUTE)
    set(plan --plan "${arg_PLAN}")
  endif()
  list(GET outputs 0 first)

  add_executable(${name} ${outputs})
  target_link_libraries(${name} PRIVATE vescale::vescale)
  # A project of one program gains nothing from a precompiled header.
  if(COMMAND vescale_use_torch_pch AND NOT VESCALE_TORCH_IMPORTED)
    vescale_use_torch_pch(${name})
  endif()
  # Headers that were left as they are.
  target_include_directories(${name} PRIVATE "${arg_ROOT}")
  _vescale_rewrite_flags(${name} flags)
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND $<TARGET_FILE:vescale::vescale-rewrite> ${inputs} --root "${arg_ROOT}" --out-dir "${tree}" ${plan}
            ${arg_ARGS} --depfile "${tree}.d" --depfile-target "${first}" -- ${flags}
    DEPENDS ${inputs} ${arg_PLAN} vescale::vescale-rewrite
    DEPFILE "${tree}.d"
    COMMENT "Rewriting ${name} for vs::DTensor"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()
