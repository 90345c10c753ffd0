# PHASOR_ARCH=portable: one build for every x86-64 processor from the first of PHASOR_LEVELS on. A library is built for
# each level, LIBRARY.so for the first and glibc-hwcaps/LEVEL/LIBRARY.so beside it for those above, of which the loader of
# glibc (2.33 or later) takes the best that the processor has. Programs then have nothing in them but calls of the library.
# Sets `phasor_march` to what -march= is to be, or to nothing, and `phasor_levels_above` to the levels above the first.
include(ExternalProject)
include(CheckLinkerFlag)

set(phasor_march ${PHASOR_ARCH})
set(phasor_levels_above)
if(PHASOR_ARCH STREQUAL "portable")
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    message(FATAL_ERROR "PHASOR_ARCH=portable: levels are those of x86-64, this is ${CMAKE_SYSTEM_PROCESSOR}. "
                        "An empty PHASOR_ARCH serves every processor of this kind")
  endif()
  # The loader knows these alone, and takes the last of them that is there.
  string(REPLACE ";" "|" asked "${PHASOR_LEVELS}")
  set(known x86-64-v2 x86-64-v3 x86-64-v4)
  list(FILTER known INCLUDE REGEX "^(${asked})$")
  if(NOT known OR NOT known STREQUAL PHASOR_LEVELS)
    message(FATAL_ERROR "PHASOR_LEVELS: '${PHASOR_LEVELS}' is not some of x86-64-v2;x86-64-v3;x86-64-v4 in this order")
  endif()
  set(phasor_levels_above ${PHASOR_LEVELS})
  list(POP_FRONT phasor_levels_above phasor_march)
  set(PHASOR_SHARED ON)
endif()
if(PHASOR_SHARED AND PHASOR_SANITIZE)
  message(FATAL_ERROR "PHASOR_SANITIZE and libphasor: sanitizers want all of a program in one piece")
endif()

# The loader refuses the library in one line where the processor is below its level; else it would end by SIGILL, or go on
# for a while.
function(phasor_mark_level library)
  if(phasor_march MATCHES "^x86-64-v[234]$")
    check_linker_flag(CXX LINKER:-z,${phasor_march} linker_marks_${phasor_march})
    if(linker_marks_${phasor_march})
      target_link_options(${library} PRIVATE LINKER:-z,${phasor_march})
    endif()
  endif()
endfunction()

# Builds this project again for each level above the first, by the same choices otherwise, the target `library` alone: one
# after the other, behind the first's, for each takes all cores.
function(phasor_build_levels library)
  set(choices)
  get_cmake_property(cached CACHE_VARIABLES)
  set(of_compiler "^CMAKE_(BUILD_TYPE|MAKE_PROGRAM|PREFIX_PATH|TOOLCHAIN_FILE|UNITY_BUILD|C(XX)?_(COMPILER(_LAUNCHER)?|FLAGS.*))$")
  foreach(name IN LISTS cached)
    if(name MATCHES "^PHASOR_|${of_compiler}"
       OR (name MATCHES "_(DIR|LIBRARY)$" AND NOT name MATCHES "^CMAKE_|_(BINARY|SOURCE)_DIR$"))
      list(APPEND choices "-D${name}:STRING=${${name}}")
    endif()
  endforeach()
  set(previous ${library})
  foreach(level IN LISTS phasor_levels_above)
    set(folder ${CMAKE_BINARY_DIR}/glibc-hwcaps/${level})
    ExternalProject_Add(
      level-${level}
      DEPENDS ${previous}
      SOURCE_DIR ${PROJECT_SOURCE_DIR}
      PREFIX ${CMAKE_BINARY_DIR}/levels/${level}
      BINARY_DIR ${CMAKE_BINARY_DIR}/levels/${level}/build
      CMAKE_CACHE_ARGS ${choices} -DPHASOR_ARCH:STRING=${level} -DPHASOR_SHARED:BOOL=ON -DPHASOR_TESTS:BOOL=OFF
                       -DPHASOR_PYTHON:BOOL=OFF -DCMAKE_LIBRARY_OUTPUT_DIRECTORY:STRING=${folder}
      BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --target ${library}
      INSTALL_COMMAND ""
      BUILD_ALWAYS ON
      USES_TERMINAL_BUILD ON)
    set(previous level-${level})
  endforeach()
endfunction()

# Whoever builds a program gets the libraries of all levels.
function(phasor_needs_levels program)
  foreach(level IN LISTS phasor_levels_above)
    add_dependencies(${program} level-${level})
  endforeach()
endfunction()

# What is installed of the levels above: each one's library in DESTINATION/glibc-hwcaps/LEVEL, under the name by which
# programs ask for it.
function(phasor_install_levels library destination component)
  foreach(level IN LISTS phasor_levels_above)
    set(into ${destination}/glibc-hwcaps/${level})
    set(name $<TARGET_SONAME_FILE_NAME:${library}>)
    install(FILES ${CMAKE_BINARY_DIR}/glibc-hwcaps/${level}/$<TARGET_FILE_NAME:${library}> RENAME ${name}
            DESTINATION ${into} COMPONENT ${component})
    install(CODE "if(CMAKE_INSTALL_DO_STRIP)
  execute_process(COMMAND \"${CMAKE_STRIP}\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${into}/${name}\" COMMAND_ERROR_IS_FATAL ANY)
endif()" COMPONENT ${component})
  endforeach()
endfunction()
