# experior-mpi.so, which the command line tool loads when it is started by mpirun: the only part that is linked with
# MPI. It is built if MPI is there: XP_MPI is AUTO (if found), ON (fail without it) or OFF. The library and the command
# line tool are the same either way. Sets
#     XP_MPI_PLACES   a generated source file: where the command line tool looks for it
xp_wanted(XP_MPI)
if(NOT wanted STREQUAL "OFF")
    find_package(MPI QUIET COMPONENTS C)
    if(NOT MPI_C_FOUND AND wanted STREQUAL "ON")
        message(FATAL_ERROR "XP_MPI is ON, but no MPI compiler is found: install libopenmpi-dev and openmpi-bin")
    elseif(NOT MPI_C_FOUND)
        message(STATUS "MPI is not installed: studies run on one machine only")
    endif()
endif()

xp_places(XP_MPI_PLACES mpi cli_mpi_places peers.h experior-mpi.so
          FROM ${CMAKE_INSTALL_FULL_BINDIR} BESIDE ${XP_LIBEXEC})

if(MPI_C_FOUND AND NOT wanted STREQUAL "OFF")
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/mpi/*.c)
    add_library(experior_mpi MODULE ${sources})
    target_include_directories(experior_mpi PRIVATE ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(experior_mpi PRIVATE MPI::MPI_C)
    set_target_properties(experior_mpi PROPERTIES OUTPUT_NAME experior-mpi PREFIX ""
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${XP_LIBEXEC})
endif()
