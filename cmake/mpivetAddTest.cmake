# mpivet_add_test(NAME <name> COMMAND <target or program> [<argument>...] [NP <ranks>]
#                 [FAIL_ON error|warning|note|never] [SUPPRESSIONS <file>] [BASELINE <file>]
#                 [TIMEOUT <seconds>] [WORKING_DIRECTORY <directory>] [OPTIONS <option of mpivet run>...])
#
# A test that runs an MPI program under mpivet, and fails if there are findings or the program fails. Its output is the report;
# JSON, JUnit and the trace are in <build>/mpivet/<name>. The launcher is that of find_package(MPI), which must come before.
# Without NP there are 2 ranks, without TIMEOUT 300 seconds.
function(mpivet_add_test)
  set(one NAME NP FAIL_ON SUPPRESSIONS BASELINE TIMEOUT WORKING_DIRECTORY)
  cmake_parse_arguments(PARSE_ARGV 0 T "" "${one}" "COMMAND;OPTIONS")
  if(DEFINED T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mpivet_add_test: what is ${T_UNPARSED_ARGUMENTS}?")
  endif()
  if(NOT T_NAME OR NOT T_COMMAND)
    message(FATAL_ERROR "mpivet_add_test needs NAME and COMMAND")
  endif()
  if(NOT MPIEXEC_EXECUTABLE)
    message(FATAL_ERROR "mpivet_add_test: find_package(MPI) must come first, and find mpiexec")
  endif()
  if(NOT T_NP)
    set(T_NP 2)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  if(NOT T_WORKING_DIRECTORY)
    set(T_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()

  string(REGEX REPLACE "[^A-Za-z0-9_.+-]" "_" dir "${T_NAME}")
  set(dir "${CMAKE_BINARY_DIR}/mpivet/${dir}")
  file(MAKE_DIRECTORY "${dir}")
  set(options --dir "${dir}/trace" --report "${dir}/mpivet.json" --report "${dir}/mpivet.xml")
  if(T_FAIL_ON)
    list(APPEND options --fail-on "${T_FAIL_ON}")
  endif()
  foreach(file SUPPRESSIONS BASELINE)
    if(T_${file})
      string(TOLOWER ${file} option)
      get_filename_component(path "${T_${file}}" ABSOLUTE)
      list(APPEND options --${option} "${path}")
    endif()
  endforeach()

  list(GET T_COMMAND 0 program)
  list(REMOVE_AT T_COMMAND 0)
  if(TARGET "${program}")
    set(program "$<TARGET_FILE:${program}>")
  endif()
  # mpivet writes no trace over another one. The shell becomes mpivet, so that a signal of ctest reaches it.
  set(anew sh -c "rm -rf \"$0\" && exec \"$@\"" "${dir}/trace")
  add_test(
    NAME "${T_NAME}"
    COMMAND ${anew} $<TARGET_FILE:mpivet::mpivet> run ${options} ${T_OPTIONS} -- "${MPIEXEC_EXECUTABLE}"
            ${MPIEXEC_NUMPROC_FLAG} ${T_NP} ${MPIEXEC_PREFLAGS} "${program}" ${MPIEXEC_POSTFLAGS} ${T_COMMAND}
    WORKING_DIRECTORY "${T_WORKING_DIRECTORY}")
  # CMake before 3.27 knows no signal of a time limit, and kills.
  set_tests_properties(
    "${T_NAME}" PROPERTIES PROCESSORS ${T_NP} LABELS mpivet TIMEOUT ${T_TIMEOUT} TIMEOUT_SIGNAL_NAME SIGTERM
                           TIMEOUT_SIGNAL_GRACE_PERIOD 10)
endfunction()
