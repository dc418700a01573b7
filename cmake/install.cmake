# What `cmake --install` puts where: the library both ways, its headers, pkg-config and CMake package files that
# find everything from their own place (so the tree can be moved), the command line tool and its manual, the programs
# that read HDF5 and serve decisions, the plug-in that talks MPI.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(experior_shared PROPERTIES EXPORT_NAME experior)
install(TARGETS experior_shared EXPORT experior-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS experior_static EXPORT experior-static-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/experior DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET experior)
    install(TARGETS experior RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(target experior_hdf5 experior_serve experior_mpi)
    if(TARGET ${target})
        install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/experior RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/experior)
    endif()
endforeach()
# Linked once, as they are installed: a search path that CMake replaces later ends in an empty element, which is the
# current directory. Libraries outside the system's directories are found where they were linked.
foreach(target experior_shared experior experior_hdf5 experior_serve experior_mpi)
    if(TARGET ${target})
        set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
    endif()
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/experior.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/experior)
install(EXPORT experior-targets NAMESPACE experior:: DESTINATION ${package})
install(EXPORT experior-static-targets NAMESPACE experior:: DESTINATION ${package})
configure_package_config_file(cmake/experior-config.cmake.in ${CMAKE_BINARY_DIR}/experior-config.cmake
                              INSTALL_DESTINATION ${package})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/experior-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/experior-config.cmake ${CMAKE_BINARY_DIR}/experior-config-version.cmake
        DESTINATION ${package})

set(pc_directory ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH XP_PC_PREFIX ${pc_directory} ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/experior.pc.in ${CMAKE_BINARY_DIR}/experior.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/experior.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
