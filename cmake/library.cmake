# What is installed: the program, its completion and manual page, and the library libphasor with headers, package files
# for CMake and pkg-config. One shared library holds all rooms that a model of one's own needs, so that who links it
# needs to know of no room.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

phasor_target(public engine/base engine/ir engine/train models/layers models/own)
file(WRITE ${CMAKE_BINARY_DIR}/library.cpp.in "// All that the library has is in the rooms.\n")
configure_file(${CMAKE_BINARY_DIR}/library.cpp.in ${CMAKE_BINARY_DIR}/library.cpp COPYONLY)
add_library(libphasor SHARED ${CMAKE_BINARY_DIR}/library.cpp)
set_target_properties(libphasor PROPERTIES OUTPUT_NAME phasor EXPORT_NAME phasor VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# Whole: the linker else leaves out what only a model of one's own calls. Functions of its own are never taken from who
# links it, whose compiler may have made other bits of what is inline.
set(rooms ${public})
if(PHASOR_SHARED)
  get_property(rooms GLOBAL PROPERTY phasor_rooms)
endif()
foreach(room ${rooms})
  list(APPEND whole $<TARGET_FILE:${room}>)
endforeach()
target_link_options(libphasor PRIVATE LINKER:--whole-archive ${whole} LINKER:--no-whole-archive
                                      LINKER:-Bsymbolic-functions)
target_link_libraries(libphasor PRIVATE ${rooms} PUBLIC fmt::fmt)
phasor_mark_level(libphasor)
set_property(TARGET libphasor APPEND PROPERTY LINK_DEPENDS ${whole})
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/phasor)
target_include_directories(libphasor INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                               $<INSTALL_INTERFACE:${headers}>)
target_compile_features(libphasor INTERFACE cxx_std_20)

phasor_build_levels(libphasor)
phasor_needs_levels(phasor)
phasor_install_levels(libphasor ${CMAKE_INSTALL_LIBDIR} phasor)
if(PHASOR_SHARED)
  set_target_properties(phasor PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()
if(PHASOR_SHARED AND PHASOR_PYTHON)
  phasor_needs_levels(_phasor)
  # One file: a wheel has no links.
  install(FILES $<TARGET_FILE:libphasor> RENAME $<TARGET_SONAME_FILE_NAME:libphasor> DESTINATION phasor COMPONENT python)
  phasor_install_levels(libphasor phasor python)
endif()

install(TARGETS phasor RUNTIME COMPONENT phasor)
install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions\")
execute_process(COMMAND \"$<TARGET_FILE:phasor>\" completion bash COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions/phasor\")
set(PROGRAM \"$<TARGET_FILE:phasor>\")
set(OUTPUT \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1/phasor.1\")
include(\"${PROJECT_SOURCE_DIR}/cmake/man_page.cmake\")" COMPONENT phasor)
install(TARGETS libphasor EXPORT phasor-targets COMPONENT phasor)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine ${PROJECT_SOURCE_DIR}/io ${PROJECT_SOURCE_DIR}/models
        DESTINATION ${headers} COMPONENT phasor FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/cmake/phasor.h DESTINATION ${headers} COMPONENT phasor)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/phasor)
install(EXPORT phasor-targets NAMESPACE phasor:: DESTINATION ${package} COMPONENT phasor)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/phasorConfig.cmake.in ${CMAKE_BINARY_DIR}/phasorConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/phasorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# From where the file lies, so that the package may lie anywhere.
file(RELATIVE_PATH path_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/phasor.pc.in ${CMAKE_BINARY_DIR}/phasor.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/phasorConfig.cmake ${CMAKE_BINARY_DIR}/phasorConfigVersion.cmake
        DESTINATION ${package} COMPONENT phasor)
install(FILES ${CMAKE_BINARY_DIR}/phasor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT phasor)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT phasor)

# cpack -G DEB --config build/CPackConfig.cmake
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME phasor)
set(CPACK_PACKAGE_CONTACT "The Phasor project <phasor@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Trains networks that are larger than the memory they are given")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL phasor)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
include(CPack)
