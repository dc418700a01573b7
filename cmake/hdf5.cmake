# experior-hdf5, the program that reads Minari datasets for the library: the only one that is linked with HDF5. It is
# built if HDF5 is there: XP_HDF5 is AUTO (if found), ON (fail without it) or OFF. The library is the same either
# way; without the program it says so to whoever names such a file. Sets
#     XP_HDF5_TARGET    what the tests that write HDF5 files link, or nothing
#     XP_HDF5_PLACES    a generated source file: where the library looks for the program
set(XP_HDF5_TARGET "")
xp_wanted(XP_HDF5)
if(NOT wanted STREQUAL "OFF")
    # Serial before parallel: a build that wants MPI is none that we can link. 1.10.5 counts the chunks of a dataset.
    pkg_search_module(HDF5 QUIET IMPORTED_TARGET hdf5-serial>=1.10.5 hdf5>=1.10.5)
    if(HDF5_FOUND)
        set(XP_HDF5_TARGET PkgConfig::HDF5)
    elseif(wanted STREQUAL "ON")
        message(FATAL_ERROR "XP_HDF5 is ON, but pkg-config finds no hdf5 from 1.10.5 on: install libhdf5-dev")
    else()
        message(STATUS "HDF5 is not installed: Minari datasets cannot be read")
    endif()
endif()

# Seen from an installed program or library, from those of the build directory (programs of tests and benchmarks lie
# one below it, as in an installation), and as configured.
xp_places(XP_HDF5_PLACES hdf5 xp__hdf5_places demos/hdf5_program.h experior-hdf5
          FROM ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR} BESIDE ${XP_LIBEXEC} ../${XP_LIBEXEC})

if(XP_HDF5_TARGET)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/hdf5/*.c)
    add_executable(experior_hdf5 ${sources})
    target_include_directories(experior_hdf5 PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(experior_hdf5 PRIVATE ${XP_HDF5_TARGET} m)
    set_target_properties(experior_hdf5 PROPERTIES OUTPUT_NAME experior-hdf5
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${XP_LIBEXEC})
endif()
