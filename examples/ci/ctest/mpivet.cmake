# add_mpivet_test(NAME <name> TARGET <executable> [NUMPROCS <n>] [FAIL_ON error|warning|note|never]
#                 [SUPPRESSIONS <file>] [BASELINE <file>] [TIMEOUT <seconds>]
#                 [OPTIONS <option of mpivet run>...] [ARGS <argument of the program>...])
#
# A test that runs an MPI program under mpivet, and fails if there are findings or the program fails. The test's output is the
# report; JSON, JUnit and the trace are in <build>/mpivet/<name>. Needs find_package(MPI) before. Copy this file and include it.

find_program(MPIVET_EXECUTABLE mpivet DOC "mpivet, with libmpivet.so beside it")

function(add_mpivet_test)
  cmake_parse_arguments(PARSE_ARGV 0 T "" "NAME;TARGET;NUMPROCS;FAIL_ON;SUPPRESSIONS;BASELINE;TIMEOUT" "OPTIONS;ARGS")
  if(T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_mpivet_test: what is ${T_UNPARSED_ARGUMENTS}?")
  endif()
  if(NOT T_NAME OR NOT T_TARGET)
    message(FATAL_ERROR "add_mpivet_test needs NAME and TARGET")
  endif()
  if(NOT MPIVET_EXECUTABLE)
    message(FATAL_ERROR "mpivet was not found: -DMPIVET_EXECUTABLE=/path/to/mpivet")
  endif()
  if(NOT T_NUMPROCS)
    set(T_NUMPROCS 2)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  set(dir ${CMAKE_BINARY_DIR}/mpivet/${T_NAME})
  set(options --dir ${dir}/trace --report ${dir}/mpivet.json --report ${dir}/mpivet.xml)
  if(T_FAIL_ON)
    list(APPEND options --fail-on ${T_FAIL_ON})
  endif()
  foreach(file SUPPRESSIONS BASELINE)
    if(T_${file})
      string(TOLOWER ${file} option)
      get_filename_component(path ${T_${file}} ABSOLUTE)
      list(APPEND options --${option} ${path})
    endif()
  endforeach()

  file(MAKE_DIRECTORY ${dir})
  # mpivet writes no trace over another one.
  add_test(NAME ${T_NAME}.clean COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}/trace)
  add_test(
    NAME ${T_NAME}
    COMMAND ${MPIVET_EXECUTABLE} run ${options} ${T_OPTIONS} --
            ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${T_NUMPROCS} ${MPIEXEC_PREFLAGS}
            $<TARGET_FILE:${T_TARGET}> ${MPIEXEC_POSTFLAGS} ${T_ARGS})
  set_tests_properties(${T_NAME}.clean PROPERTIES FIXTURES_SETUP ${T_NAME}.place)
  set_tests_properties(
    ${T_NAME} PROPERTIES FIXTURES_REQUIRED ${T_NAME}.place PROCESSORS ${T_NUMPROCS} TIMEOUT ${T_TIMEOUT} LABELS mpivet)
endfunction()
