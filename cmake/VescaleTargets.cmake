# The few CMake helpers that the project's own targets use.

# Warnings for our own code.
function(vescale_set_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
endfunction()

# A torch-free library from every source of the current folder.
# vescale_add_folder_library(name [LINK targets...])
function(vescale_add_folder_library name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib>" "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>")
  vescale_set_warnings(${name})
  foreach(dependency IN LISTS arg_LINK)
    if(TARGET ${dependency})
      target_link_libraries(${name} PUBLIC ${dependency})
    endif()
  endforeach()
endfunction()
