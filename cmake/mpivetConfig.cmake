# find_package(mpivet) gives
#   mpivet_add_test()        tests that run an MPI program under mpivet: see mpivetAddTest.cmake
#   mpivet::mpivet           the command; its path is mpivet_EXECUTABLE
#   mpivet::annotations      mpivet.h, for C and C++ programs that link to MPI
#   mpivet_FORTRAN_SOURCE    mpivet.f90, to be compiled along with a Fortran program

# Everything is found from this file, in share/cmake/mpivet of the installation or of a Python environment.
get_filename_component(_mpivet_prefix "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_mpivet_prefix "${_mpivet_prefix}/../../.." ABSOLUTE)
set(mpivet_EXECUTABLE "${_mpivet_prefix}/bin/mpivet")
set(mpivet_FORTRAN_SOURCE "${_mpivet_prefix}/include/mpivet.f90")

if(NOT EXISTS "${mpivet_EXECUTABLE}")
  set(mpivet_FOUND FALSE)
  set(mpivet_NOT_FOUND_MESSAGE "there is no ${mpivet_EXECUTABLE}")
else()
  if(NOT TARGET mpivet::mpivet)
    add_executable(mpivet::mpivet IMPORTED)
    set_target_properties(mpivet::mpivet PROPERTIES IMPORTED_LOCATION "${mpivet_EXECUTABLE}")
    add_library(mpivet::annotations INTERFACE IMPORTED)
    set_target_properties(
      mpivet::annotations PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_mpivet_prefix}/include")
  endif()
  include("${CMAKE_CURRENT_LIST_DIR}/mpivetAddTest.cmake")
endif()
unset(_mpivet_prefix)
