# HDF5, with which Minari datasets are read, if it is there: XP_HDF5 is AUTO (use it if found), ON (fail without
# it) or OFF. Without it src/demos/load_hdf5_absent.c says so to whoever names such a file. Sets
#     XP_HDF5_TARGET    what to link, or nothing
#     XP_HDF5_MODULE    its pkg-config module, or nothing
#     XP_HDF5_UNUSED    the source file that is not compiled
set(XP_HDF5_TARGET "")
set(XP_HDF5_MODULE "")
set(XP_HDF5_UNUSED load_hdf5.c)
string(TOUPPER "${XP_HDF5}" wanted)
if(NOT wanted MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "XP_HDF5 = ${XP_HDF5} is not one of AUTO, ON and OFF")
endif()
if(NOT wanted STREQUAL "OFF")
    # Serial before parallel: a build that wants MPI is none that we can link.
    pkg_search_module(HDF5 QUIET IMPORTED_TARGET hdf5-serial hdf5)
    if(HDF5_FOUND)
        set(XP_HDF5_TARGET PkgConfig::HDF5)
        set(XP_HDF5_MODULE ${HDF5_MODULE_NAME})
        set(XP_HDF5_UNUSED load_hdf5_absent.c)
    elseif(wanted STREQUAL "ON")
        message(FATAL_ERROR "XP_HDF5 is ON, but pkg-config finds no hdf5: install libhdf5-dev")
    else()
        message(STATUS "HDF5 is not installed: Minari datasets cannot be read")
    endif()
endif()
