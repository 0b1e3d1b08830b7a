# What `cmake --install` puts where, so that find_package(veScale) gives vescale::vescale and vescale_add_executable.
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/veScale")
install(TARGETS vescale vescale_torch vescale-rewrite vescale-run EXPORT veScaleTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(EXPORT veScaleTargets NAMESPACE vescale:: DESTINATION "${package}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/vescale" "${PROJECT_BINARY_DIR}/include/vescale"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/VescaleRewrite.cmake" "${PROJECT_SOURCE_DIR}/cmake/VescaleTorch.cmake"
  DESTINATION "${package}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/veScaleConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/veScaleConfig.cmake" INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/veScaleConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/veScaleConfig.cmake" "${PROJECT_BINARY_DIR}/veScaleConfigVersion.cmake"
  DESTINATION "${package}")
